/** Next.js 15 and 16 call `register` of `instrumentation.ts`, a file beside `app`, when a server starts. */

// #region glue
export const register = async () =>
  process.env.NEXT_RUNTIME === "nodejs" ? (await import("./commentary")).pc.start() : undefined
// #endregion
