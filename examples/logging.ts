/** The service logs with the application's own logger, here the pino logger of Fastify. */
import { fastify } from "fastify"
import { partnerCommentary } from "partner-commentary"
import { sqlite } from "partner-commentary/sqlite"

// #region logging
export const createExampleApplication = (stream: { write: (line: string) => void }) => {
  const app = fastify({ logger: { level: "warn", stream } })
  const pc = partnerCommentary({
    url: "http://127.0.0.1:3000/commentary",
    secret: "32 characters or more, kept elsewhere",
    database: sqlite(":memory:"),
    logger: app.log // or console, winston, a logger of Effect
  })
  return { app, pc }
}
// #endregion
