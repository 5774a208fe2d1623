/**
 * Creates the service once for each process. Next.js 15 and 16 run this file again for each bundle, and after each
 * change in `next dev`.
 */
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
