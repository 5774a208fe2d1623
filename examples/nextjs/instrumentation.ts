/** Next.js 15 and 16: `instrumentation.ts` beside `app`, which is called when a server starts. */

// #region instrumentation
export const register = async () => {
  if (process.env["NEXT_RUNTIME"] !== "nodejs") return
  const { pc } = await import("./commentary.ts")
  await pc.start()
}
// #endregion
