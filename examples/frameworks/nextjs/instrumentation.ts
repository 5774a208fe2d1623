/** Starts the service in Next.js 15 and 16. The file must be beside `app`, with the name `instrumentation.ts`. */

/** Next.js requires the name `register`, and calls this function when a server starts. */
// #region glue
export const register = async () =>
  process.env.NEXT_RUNTIME === "nodejs" ? (await import("./commentary")).pc.start() : undefined
// #endregion
