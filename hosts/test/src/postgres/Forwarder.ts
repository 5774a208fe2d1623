/**
 * A TCP forwarder whose target can change, as in a failover. Connections that are already open stay with the old
 * target.
 */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface PortForwarder {
  /** The URL of the first target, with this forwarder's port. */
  readonly url: string
  /** Sends later connections to another server. */
  readonly moveTo: (target: string) => void
  readonly close: () => Promise<void>
}

export const openPortForwarder = async (first: string): Promise<PortForwarder> => {
  let target = new URL(first)
  const sockets = new Set<Socket>()
  const listener = createServer((client) => {
    const server = connect(Number(target.port), target.hostname)
    const end = () => {
      for (const socket of [client, server]) {
        sockets.delete(socket)
        socket.destroy()
      }
    }
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on("error", end).on("close", end)
    }
    client.pipe(server).pipe(client)
  })
  listener.listen(0, "127.0.0.1")
  await once(listener, "listening")
  const url = new URL(first)
  url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`
  return {
    url: url.href,
    moveTo: (next) => {
      target = new URL(next)
    },
    close: async () => {
      listener.close()
      for (const socket of sockets) socket.destroy()
      await once(listener, "close")
    }
  }
}
