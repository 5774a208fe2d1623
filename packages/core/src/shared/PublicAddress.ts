/** The public URL of the service, which the host provides. Links in mails and pages begin with this URL. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

export class PublicAddress extends Context.Service<
  PublicAddress,
  {
    /** The value of `{api_root}`, without a trailing slash. */
    readonly apiRoot: string
  }
>()("@partner-commentary/core/shared/PublicAddress") {
  /**
   * `layer` removes trailing slashes. An invalid address stops the service at start. A path that collides with a route
   * also stops the service, because the service cannot know whether a router in front of it removes the path from
   * requests.
   */
  static readonly layer = (apiRoot: string): Layer.Layer<PublicAddress> =>
    Layer.effect(
      PublicAddress,
      Option.match(
        Option.filter(normalizePublicAddress(apiRoot), (kept) => !collidesWithRoutes(kept)),
        {
          onNone: () => Effect.die(makeAddressError(`${publicAddressRequirement}; ${beside}`)),
          onSome: (kept) => Effect.succeed({ apiRoot: kept })
        }
      )
    )

  /**
   * `layerAnywhere` allows any path. Use `layerAnywhere` only in a host that knows whether a router in front of it
   * removes the path from requests.
   */
  static readonly layerAnywhere = (apiRoot: string): Layer.Layer<PublicAddress> =>
    Layer.effect(
      PublicAddress,
      Option.match(normalizePublicAddress(apiRoot), {
        onNone: () => Effect.die(makeAddressError(publicAddressRequirement)),
        onSome: (kept) => Effect.succeed({ apiRoot: kept })
      })
    )
}

/** The rule for a public address, in words that complete a sentence after `must be`. */
export const publicAddressRequirement =
  "an http:// or https:// address without query, fragment and user, such as https://app.example/commentary"

const beside = "its path must be none of the service's own, such as /partner or /creator"

const makeAddressError = (sentence: string) => new Error(`The public address (apiRoot) must be ${sentence}`)

/** Returns the normalized form of a public address; none if the address is invalid. */
export const normalizePublicAddress = (text: string): Option.Option<string> => {
  const url = /[\s\p{Cc}<>"?#]/u.test(text) || text.length > 2048 ? null : URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return Option.none()
  return /^https?:\/\//i.test(text) ? Option.some(url.href.replace(/(?<!\/)\/+$/, "")) : Option.none()
}

/** Returns whether the path of the address collides with a route of the service. */
export const collidesWithRoutes = (apiRoot: string): boolean =>
  /^https?:\/\/[^/]+\/(partner(\/v1(\/.*)?)?|creator(\/.*)?|docs(\/.*)?|openapi\.json|healthz|readyz|avatar\.svg)$/.test(
    apiRoot
  )
