/**
 * Helpers for the tests of the mounted examples: a service on its own database, and a framework's server on a socket.
 */

import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { PartnerCommentary } from "partner-commentary"
import { openService } from "../service.ts"

interface Test {
  readonly onTestFinished: (cleanUp: () => Promise<void>) => void
}

/** Makes a folder that is removed after the test, when everything that the test started has stopped. */
export const makeTemporaryFolder = (test: Test): string => {
  const path = mkdtempSync(join(tmpdir(), "mounted-"))
  test.onTestFinished(async () => rmSync(path, { recursive: true }))
  return path
}

export const openTestService = (
  test: Test,
  url = "http://commentary.example",
  place = makeTemporaryFolder(test)
): PartnerCommentary => {
  const opened = openService({
    url,
    database: join(place, "commentary.db"),
    outbox: join(place, "outbox"),
    secret: "a secret of the tests, and long enough"
  })
  test.onTestFinished(opened.stop)
  return opened
}

export const listenOnFreePort = async (server: Server, test: Test): Promise<number> => {
  // Some frameworks leave a large body unread, so the connection stays open until it times out.
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
