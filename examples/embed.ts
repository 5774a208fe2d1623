/** Runs the whole service in an Express application. */
import express from "express"
import { partnerCommentary } from "partner-commentary"
import { sqlite } from "partner-commentary/sqlite"

// #region embed
export const pc = partnerCommentary({
  url: process.env["COMMENTARY_URL"] ?? "http://127.0.0.1:3000/commentary",
  secret: process.env["COMMENTARY_SECRET"],
  database: sqlite("commentary.db")
})

const app = express().use("/commentary", pc.node)
await pc.start()
app.listen(process.env["PORT"] ?? 3000)
// #endregion
