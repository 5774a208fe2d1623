/**
 * Serves whole media files or ranges from a folder. File names are unguessable, so requests need no authentication and
 * have no rate limits. The media routes do not list files. Only file names in the format that the core generates reach
 * the file system.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpStaticServer from "effect/http/HttpStaticServer"
import { mediaUrlPath } from "../app/Media.ts"

/** Returns whether a text has the format of the file names that the core generates, including a file extension. */
const isName = (text: string): boolean => /^[0-9A-Za-z]{32}\.[0-9a-z]{3,4}$/.test(text)

const headers = {
  "access-control-allow-origin": "*",
  "x-content-type-options": "nosniff"
}

export const layer = (folder: string) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const files = yield* HttpStaticServer.make({
        root: folder,
        index: undefined,
        cacheControl: "public, max-age=86400",
        mimeTypes: { m4a: "audio/mp4" }
      })
      yield* router.add(
        "GET",
        `${mediaUrlPath}/:name`,
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const { name = "" } = yield* HttpRouter.params
          const url = isName(name) ? `/${name}` : noFile
          const response = yield* Effect.provideService(
            files,
            HttpServerRequest.HttpServerRequest,
            request.modify({ url })
          )
          return HttpServerResponse.setHeaders(response, headers)
        })
      )
    })
  )

/** A path that no file can have, because the path contains a NUL character. */
const noFile = "/\u0000"
