/** Where the service is reached from outside: what links in mails and pages start with. Hosts provide it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

export class PublicAddress extends Context.Service<
  PublicAddress,
  {
    /** `{api_root}`, without a slash at the end. */
    readonly apiRoot: string
  }
>()("@partner-commentary/core/shared/PublicAddress") {
  /** Without the slashes that it may end in. What is no such address stops the service where it begins, not in the first mail. */
  static readonly layer = (apiRoot: string): Layer.Layer<PublicAddress> =>
    Layer.effect(
      PublicAddress,
      Option.match(normalized(apiRoot), {
        onNone: () => Effect.die(new Error(`The public address (apiRoot) must be ${right}`)),
        onSome: (kept) => Effect.succeed({ apiRoot: kept })
      })
    )
}

/** Reads on after `must be`. */
export const right =
  "an http:// or https:// address without query, fragment and user, such as https://app.example/commentary; " +
  "its path must be none of the service's own, such as /partner or /creator"

/** As it is kept; none where it is no such address. */
export const normalized = (text: string): Option.Option<string> => {
  const url = /[\s\p{Cc}<>"?#]/u.test(text) || text.length > 2048 ? null : URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return Option.none()
  const kept = url.href.replace(/(?<!\/)\/+$/, "")
  return /^https?:\/\//i.test(text) && !ownPath.test(kept) ? Option.some(kept) : Option.none()
}

/** Where a router has taken the address's path off, a path that begins so could be either. */
const ownPath =
  /^https?:\/\/[^/]+\/(partner(\/v1(\/.*)?)?|creator(\/.*)?|docs(\/.*)?|openapi\.json|healthz|readyz|avatar\.svg)$/
