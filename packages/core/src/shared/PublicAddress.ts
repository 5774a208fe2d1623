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
  /**
   * Without the slashes that it may end in. What is no such address stops the service where it begins, not in the first mail. So does
   * a path that one of the service's own begins with: where a router may have taken it off or not, nobody could tell the two apart.
   */
  static readonly layer = (apiRoot: string): Layer.Layer<PublicAddress> =>
    Layer.effect(
      PublicAddress,
      Option.match(
        Option.filter(normalized(apiRoot), (kept) => !isOwn(kept)),
        { onNone: () => Effect.die(wrong(`${right}; ${beside}`)), onSome: (kept) => Effect.succeed({ apiRoot: kept }) }
      )
    )

  /** The same for a host that knows whether requests come with its path or without: any path will do. */
  static readonly layerAnywhere = (apiRoot: string): Layer.Layer<PublicAddress> =>
    Layer.effect(
      PublicAddress,
      Option.match(normalized(apiRoot), {
        onNone: () => Effect.die(wrong(right)),
        onSome: (kept) => Effect.succeed({ apiRoot: kept })
      })
    )
}

/** Reads on after `must be`. */
export const right =
  "an http:// or https:// address without query, fragment and user, such as https://app.example/commentary"

const beside = "its path must be none of the service's own, such as /partner or /creator"

const wrong = (sentence: string) => new Error(`The public address (apiRoot) must be ${sentence}`)

/** As it is kept; none where it is no such address. */
export const normalized = (text: string): Option.Option<string> => {
  const url = /[\s\p{Cc}<>"?#]/u.test(text) || text.length > 2048 ? null : URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return Option.none()
  return /^https?:\/\//i.test(text) ? Option.some(url.href.replace(/(?<!\/)\/+$/, "")) : Option.none()
}

/** Whether a path of the service begins with that of an address that is kept so. */
export const isOwn = (apiRoot: string): boolean =>
  /^https?:\/\/[^/]+\/(partner(\/v1(\/.*)?)?|creator(\/.*)?|docs(\/.*)?|openapi\.json|healthz|readyz|avatar\.svg)$/.test(
    apiRoot
  )
