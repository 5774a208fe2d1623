/** In Next.js 15 and 16, this file is `instrumentation.ts` beside `app`. Next.js runs it when a server starts. */

// #region glue
export const register = async () =>
  process.env.NEXT_RUNTIME === "nodejs" ? (await import("./commentary")).pc.start() : undefined
// #endregion
