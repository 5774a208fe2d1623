/** Runs the storage test suite on a folder that the Node host serves. */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as MediaRoutes from "@partner-commentary/node/server/MediaRoutes"
import * as FolderStorage from "@partner-commentary/storage/FolderStorage"
import * as MediaStorageSuite from "@partner-commentary/testkit/MediaStorageSuite"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"

const fetched = (url: string) =>
  Effect.promise(async () => {
    // An open connection would delay the server's stop at the end of each test.
    const response = await fetch(url, { headers: { connection: "close" } })
    const bytes = new Uint8Array(await response.arrayBuffer())
    return { status: response.status, contentType: response.headers.get("content-type"), bytes }
  })

const served = Layer.unwrap(
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "media-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const storage = Layer.unwrap(
      Effect.map(HttpServer.HttpServer, ({ address }) =>
        FolderStorage.layer({ folder, url: `${HttpServer.formatAddress(address)}/media` })
      )
    )
    const routes = HttpRouter.serve(MediaRoutes.layer(folder), { disableLogger: true, disableListenLog: true })
    return Layer.merge(routes, storage).pipe(
      Layer.provide(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
    )
  })
)

MediaStorageSuite.suite("FolderStorage behind MediaRoutes", served, fetched)
