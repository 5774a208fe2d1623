/** A server of another party on loopback, which is closed after the test. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import type { TestLifetime } from "./Process.ts"

/** Returns its host and port. */
export const listenOnLoopback = async (test: TestLifetime, listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  test.onTestFinished(() => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeAllConnections()
    return closed
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A partner's webhook receiver, whose status depends on the path. */
export const startReceiver = (test: TestLifetime, statusOf: (path: string) => number): Promise<string> =>
  listenOnLoopback(test, (request, response) => {
    request.resume().on("end", () => response.writeHead(statusOf(request.url ?? "")).end())
  })
