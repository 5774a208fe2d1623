/**
 * The service in a Next.js application, created once per process. `route.ts` and `instrumentation.ts` beside this file import it.
 */
import { type PartnerCommentary, partnerCommentary } from "partner-commentary"
import { sqlite } from "partner-commentary/sqlite"

// #region commentary
const kept = globalThis as { commentary?: PartnerCommentary }

/** Next.js has this file several times: in each of its bundles, and anew after every change under `next dev`. */
kept.commentary ??= partnerCommentary({
  url: process.env["COMMENTARY_URL"] ?? "http://127.0.0.1:3000/commentary",
  database: sqlite(process.env["DATABASE"] ?? "data/commentary.db"),
  mail: { outbox: process.env["OUTBOX"] ?? "data/outbox" },
  secret: process.env["COMMENTARY_SECRET"]
})

export const pc = kept.commentary
// #endregion
