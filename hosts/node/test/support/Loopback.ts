/** Somebody else's server on loopback, for as long as a test lasts. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import type { Test } from "./Process.ts"

/** Answers with its host and port. */
export const serve = async (test: Test, listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  test.onTestFinished(() => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeAllConnections()
    return closed
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A partner's receiver, which answers each event by the path that it was sent to. */
export const receive = (test: Test, statusOf: (path: string) => number): Promise<string> =>
  serve(test, (request, response) => {
    request.resume().on("end", () => response.writeHead(statusOf(request.url ?? "")).end())
  })
