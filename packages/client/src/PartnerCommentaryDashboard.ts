/**
 * Defines the client for a dashboard, which authenticates with a token of the dashboard's identity provider instead of
 * an API key.
 */
import { ApiKeysClient } from "./ApiKeys.ts"
import { Connection, requireOptions } from "./Connection.ts"
import type { ClientOptions, Credential } from "./Options.ts"

export interface PartnerCommentaryDashboardOptions extends ClientOptions {
  /**
   * A JWT of your dashboard's identity provider. If the client is used for longer than a JWT is valid, pass a function
   * that fetches a valid JWT.
   */
  readonly token: Credential
}

/** Manages API keys from the dashboard. */
export class PartnerCommentaryDashboard {
  readonly apiKeys: ApiKeysClient

  constructor(options: PartnerCommentaryDashboardOptions) {
    const { token, ...rest } = requireOptions(options, "token")
    this.apiKeys = new ApiKeysClient(
      new Connection(rest, { option: "token", name: "authorization", scheme: "Bearer " }, token)
    )
  }
}
