/** The service in a Next.js application: once for the process. `route.ts` and `instrumentation.ts` beside this take it from here. */
import { openService, type Service } from "../service.ts"

// #region commentary
const kept = globalThis as { commentary?: Service }

/** Next.js has this file several times: in each of its bundles, and anew after every change under `next dev`. */
kept.commentary ??= openService({
  apiRoot: process.env["API_ROOT"] ?? "http://127.0.0.1:3000/commentary",
  database: process.env["DATABASE"] ?? "data/commentary.db",
  outbox: process.env["OUTBOX"] ?? "data/outbox",
  // Blank, nothing begins.
  secret: process.env["SIGNING_SECRET"] ?? ""
})

export const service = kept.commentary
// #endregion
