/**
 * Runs the whole service in an Effect application: its routes beside yours on one server, its workers in the same
 * process.
 */
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { layerWithoutServerSpans } from "@partner-commentary/server/creator/CreatorRequest"
import * as Routes from "@partner-commentary/server/Routes"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type { PartnerCommentary } from "partner-commentary"

const yourRoutes = HttpRouter.add("GET", "/", HttpServerResponse.text("Your application."))

// #region effect-server
export const createExampleServer = (pc: PartnerCommentary, port: number) =>
  HttpRouter.serve(Layer.merge(yourRoutes, Routes.layer), { routerConfig: Routes.routerConfig }).pipe(
    Layer.provideMerge(Layer.merge(pc.layer, layerWithoutServerSpans)),
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port, host: "127.0.0.1" }))
  )
// #endregion
