/** Creates one service per process. In Next.js, each bundle and each change in `next dev` runs this file again. */
import { type PartnerCommentary, partnerCommentary } from "partner-commentary"
import { sqlite } from "partner-commentary/sqlite"

// #region glue
const kept = globalThis as { commentary?: PartnerCommentary }
kept.commentary ??= partnerCommentary({
  url: process.env.COMMENTARY_URL ?? "http://127.0.0.1:3000/commentary",
  secret: process.env.COMMENTARY_SECRET,
  database: sqlite("commentary.db")
})
export const pc = kept.commentary
// #endregion
