/** What the tests of the mounted examples share: a service on a database of its own, and a server of a framework on a socket. */

import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openService, type Service } from "../service.ts"

interface Test {
  readonly onTestFinished: (cleanUp: () => Promise<void>) => void
}

export const service = (test: Test, apiRoot = "http://commentary.example"): Service => {
  const folder = mkdtempSync(join(tmpdir(), "mounted-"))
  const opened = openService({
    apiRoot,
    database: join(folder, "commentary.db"),
    outbox: join(folder, "outbox"),
    secret: "a secret of the tests, and long enough"
  })
  test.onTestFinished(async () => {
    await opened.dispose()
    rmSync(folder, { recursive: true })
  })
  return opened
}

export const listening = async (server: Server, test: Test): Promise<number> => {
  // Some leave a large body unread, and the connection to its end.
  server.keepAliveTimeout = 200
  if (!server.listening) await once(server.listen(0, "127.0.0.1"), "listening")
  test.onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  )
  return (server.address() as AddressInfo).port
}
