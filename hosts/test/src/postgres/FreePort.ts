/** Finds a free port for a server that takes its port as an argument and keeps the port across restarts. */
import { createServer } from "node:net"

/**
 * The range is below the ephemeral ports, so the system does not assign the port to another socket before the server
 * uses it.
 */
const range = { from: 20_000, to: 32_000 }

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer().on("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

export const findFreePort = async (): Promise<number> => {
  for (;;) {
    const port = range.from + Math.floor(Math.random() * (range.to - range.from))
    if (await isFree(port)) return port
  }
}
