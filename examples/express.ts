/** The service in an Express application. Mount it before anything that reads bodies, such as `express.json()`. */
import * as NodeListener from "@partner-commentary/server/NodeListener"
import express from "express"
import type { Service } from "./service.ts"

// #region express
export const application = (service: Service) =>
  express()
    .disable("x-powered-by")
    .get("/yours", (_, response) => void response.send("Your application."))
    .use(NodeListener.make(service, console.error))
// #endregion
