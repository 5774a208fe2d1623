/** The service that every framework example in this folder mounts. */
import { partnerCommentary } from "partner-commentary"
import { sqlite } from "partner-commentary/sqlite"

// #region glue
export const pc = partnerCommentary({
  url: process.env.COMMENTARY_URL ?? "http://127.0.0.1:3000/commentary",
  secret: process.env.COMMENTARY_SECRET,
  database: sqlite("commentary.db")
})
// #endregion
