/** Where the service is reached from outside: what links in mails and pages start with. Hosts provide it. */
import * as Context from "effect/Context"

export class PublicAddress extends Context.Service<
  PublicAddress,
  {
    /** `{api_root}`, without a slash at the end. */
    readonly apiRoot: string
  }
>()("@partner-commentary/core/shared/PublicAddress") {}
