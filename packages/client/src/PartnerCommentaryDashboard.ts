/** This client sends requests with the dashboard's token instead of an API key. */
import { ApiKeys } from "./ApiKeys.ts"
import { Connection, requireOptions } from "./Connection.ts"
import type { ClientOptions, Credential } from "./Options.ts"

export interface PartnerCommentaryDashboardOptions extends ClientOptions {
  /** A JWT of your dashboard's identity provider. Pass a function that fetches the JWT if the token expires soon. */
  readonly token: Credential
}

/** Manages API keys from the dashboard. */
export class PartnerCommentaryDashboard {
  readonly apiKeys: ApiKeys

  constructor(options: PartnerCommentaryDashboardOptions) {
    const { token, ...rest } = requireOptions(options, "token")
    this.apiKeys = new ApiKeys(
      new Connection(rest, { option: "token", name: "authorization", scheme: "Bearer " }, token)
    )
  }
}
