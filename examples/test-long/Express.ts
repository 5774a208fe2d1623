/**
 * Mounts the service in an Express application. Mount the service before anything that reads bodies, such as
 * `express.json()`.
 */
import express from "express"
import type { PartnerCommentary } from "partner-commentary"

export const createExampleApplication = (pc: PartnerCommentary) =>
  express()
    .disable("x-powered-by")
    .get("/yours", (_, response) => void response.send("Your application."))
    .use(pc.node)
