/**
 * Runs the service inside a server of `node:http`, as an application embeds it. `node bench/embedding/Server.ts FILE`
 * serves the database FILE on a free port, and prints one line with the URL.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { partnerCommentary } from "partner-commentary"
import { sqlite } from "partner-commentary/sqlite"

const service = partnerCommentary({
  url: "http://127.0.0.1:3000",
  secret: "a secret of the benchmark, long enough",
  database: sqlite(process.argv[2]!),
  workers: false
})
await service.start()
const server = createServer(service.node).listen(0, "127.0.0.1", () => {
  process.stdout.write(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
