/** A port for somebody who is told which one to take, and keeps it while it is started again. */
import { createServer } from "node:net"

/** Below those that systems choose from: no other socket is given one of these by chance between this look and its use. */
const range = { from: 20_000, to: 32_000 }

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer().on("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = range.from + Math.floor(Math.random() * (range.to - range.from))
    if (await isFree(port)) return port
  }
}
