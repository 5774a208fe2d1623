/** The operations that take the dashboard's token in place of an API key. */
import { ApiKeys } from "./ApiKeys.ts"
import { Connection, given } from "./Connection.ts"
import type { ClientOptions, Credential } from "./Options.ts"

export interface PartnerCommentaryDashboardOptions extends ClientOptions {
  /** The JWT of your dashboard's identity provider; or what fetches one, since they are short-lived. */
  readonly token: Credential
}

/** What manages API keys. */
export class PartnerCommentaryDashboard {
  readonly apiKeys: ApiKeys

  constructor(options: PartnerCommentaryDashboardOptions) {
    const { token, ...rest } = given(options, "token")
    this.apiKeys = new ApiKeys(
      new Connection(rest, { option: "token", name: "authorization", scheme: "Bearer " }, token)
    )
  }
}
