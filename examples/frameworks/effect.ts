/** Mounts the service's routes in an Effect application, below a path of the application's server. */
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Mounted from "@partner-commentary/server/Mounted"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { pc } from "./pc.ts"

const yours = HttpRouter.add("GET", "/yours", HttpServerResponse.text("Your application."))
const port = NodeHttpServer.layer(createServer, { port: Number(process.env.PORT) })
// #region glue
const application = HttpRouter.serve(Layer.merge(yours, Mounted.layer)).pipe(Layer.provide(pc.layer))
// #endregion
NodeRuntime.runMain(Layer.launch(Layer.provide(application, port)))
