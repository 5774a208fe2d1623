/**
 * Builds the 404 response for unknown paths. The response lists the methods that the path supports, and the address of
 * the API documentation.
 */
import * as Errors from "@partner-commentary/api/Errors"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import * as Envelope from "./Envelope.ts"

interface Way {
  readonly method: string
  readonly path: RegExp
}

const ways: ReadonlyArray<Way> = (() => {
  const found: Array<Way> = []
  HttpApi.reflect(PartnerApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path } }) => {
      found.push({ method, path: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`) })
    }
  })
  return found
})()

export const makeUnknownPathResponse = (
  { method, url }: Pick<HttpServerRequest.HttpServerRequest, "method" | "url">,
  apiRoot: string
): HttpServerResponse.HttpServerResponse => {
  const path = /^[^?]*/.exec(url)?.[0] ?? ""
  const taken = [...new Set(ways.filter((way) => way.path.test(path)).map((way) => way.method))]
  // If the path supports the method, another part of the address is wrong, so the response does not name the method as
  // the error.
  const said =
    taken.length === 0 || taken.includes(method)
      ? "There is no such path, or not with this method."
      : `This path takes no ${method}, but ${taken.join(", ")}.`
  return Envelope.makeFailureResponse(Errors.NotFound.of(`${said} ${apiRoot}/docs shows every operation.`))
}
