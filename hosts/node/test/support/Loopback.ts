/** Starts servers on loopback in place of other parties' servers, and closes these servers after the test. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import type { TestCleanup } from "./Process.ts"

/** Starts a server and returns its host and port. */
export const listenOnLoopback = async (test: TestCleanup, listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  test.onTestFinished(() => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeAllConnections()
    return closed
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Starts a partner's webhook receiver, which chooses the response status by the request path. */
export const startWebhookReceiver = (test: TestCleanup, statusOf: (path: string) => number): Promise<string> =>
  listenOnLoopback(test, (request, response) => {
    request.resume().on("end", () => response.writeHead(statusOf(request.url ?? "")).end())
  })
