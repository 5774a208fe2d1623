/**
 * Closes connections whose clients read responses too slowly. A client that sometimes reads a byte is never idle, so
 * Node's timeouts do not apply. The time limit for the bytes that wait to be sent is a grace period plus their transfer
 * time at the lowest allowed speed.
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"

export interface SlowReaderLimits {
  /** The grace period in milliseconds. */
  readonly grace: number
  readonly bytesPerSecond: number
  /** The number of milliseconds between two checks of the connections. */
  readonly interval: number
}

export const defaultSlowReaderLimits: SlowReaderLimits = { grace: 60_000, bytesPerSecond: 16 * 1024, interval: 5_000 }

interface Pending {
  /** The number of bytes that must be sent by the deadline, counted from the start of the connection. */
  readonly bytes: number
  readonly deadline: number
}

export const limitSlowReaders = (native: Server, { bytesPerSecond, grace, interval }: SlowReaderLimits): void => {
  const connections = new Map<Socket, Pending | undefined>()
  native.on("connection", (socket: Socket) => {
    connections.set(socket, undefined)
    socket.once("close", () => connections.delete(socket))
  })
  const check = (socket: Socket, pending: Pending | undefined, now: number): void => {
    const { writableLength: waiting } = socket
    const gone = socket.bytesWritten - waiting
    if (waiting === 0) connections.set(socket, undefined)
    else if (pending === undefined || gone >= pending.bytes) {
      connections.set(socket, { bytes: gone + waiting, deadline: now + grace + (waiting / bytesPerSecond) * 1000 })
    } else if (now > pending.deadline) socket.destroy()
  }
  const timer = setInterval(() => {
    const now = performance.now()
    for (const [socket, pending] of connections) check(socket, pending, now)
  }, interval).unref()
  native.once("close", () => clearInterval(timer))
}
