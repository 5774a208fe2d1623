/**
 * Ends connections whose clients take their answers too slowly. A client that takes a byte now and then is never idle, so Node's
 * own time limits do not see it. What waits to be sent at one moment must be gone a grace period later, plus the time that its
 * size takes at the lowest speed.
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"

export interface SlowReaderBounds {
  /** Milliseconds. */
  readonly grace: number
  readonly bytesPerSecond: number
  /** Milliseconds between two looks at the connections. */
  readonly interval: number
}

export const usual: SlowReaderBounds = { grace: 60_000, bytesPerSecond: 16 * 1024, interval: 5_000 }

interface Pending {
  /** Of all bytes that the connection carries, how many must be gone by then. */
  readonly bytes: number
  readonly deadline: number
}

export const bound = (native: Server, { bytesPerSecond, grace, interval }: SlowReaderBounds): void => {
  const connections = new Map<Socket, Pending | undefined>()
  native.on("connection", (socket: Socket) => {
    connections.set(socket, undefined)
    socket.once("close", () => connections.delete(socket))
  })
  const look = (socket: Socket, pending: Pending | undefined, now: number): void => {
    const { writableLength: waiting } = socket
    const gone = socket.bytesWritten - waiting
    if (waiting === 0) connections.set(socket, undefined)
    else if (pending === undefined || gone >= pending.bytes) {
      connections.set(socket, { bytes: gone + waiting, deadline: now + grace + (waiting / bytesPerSecond) * 1000 })
    } else if (now > pending.deadline) socket.destroy()
  }
  const looking = setInterval(() => {
    const now = performance.now()
    for (const [socket, pending] of connections) look(socket, pending, now)
  }, interval).unref()
  native.once("close", () => clearInterval(looking))
}
