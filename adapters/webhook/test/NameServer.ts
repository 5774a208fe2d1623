/** Starts a real name server on loopback, which knows only a few names. */
import { Buffer } from "node:buffer"
import { createSocket, type RemoteInfo, type Socket } from "node:dgram"
import { isIPv4 } from "node:net"
import * as Effect from "effect/Effect"
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"

/**
 * The records of each host name. A record is an IPv4 or IPv6 address, or makes the lookup of one address family fail.
 */
export type NameServerZone = Readonly<Record<string, ReadonlyArray<string | "fails for A" | "fails for AAAA">>>

const bytesOf = (address: string): Buffer => {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number))
  const segments = NetAddress.ipv6ToSegments(Result.getOrThrow(NetAddress.ipv6FromString(address)))
  return Buffer.from(segments.flatMap((segment) => [segment >> 8, segment & 0xff]))
}

const short = (value: number) => Buffer.from([value >> 8, value & 0xff])

const reply = (zone: NameServerZone, query: Buffer): Buffer => {
  const labels: Array<string> = []
  let at = 12
  while (query[at] !== 0) {
    const length = query[at]!
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += length + 1
  }
  const type = query.readUInt16BE(at + 1)
  const question = query.subarray(12, at + 5)
  const known = zone[labels.join(".").toLowerCase()]
  const fails = known?.includes(type === 1 ? "fails for A" : "fails for AAAA") ?? false
  const records = (known ?? [])
    .filter((entry) => !entry.startsWith("fails") && isIPv4(entry) === (type === 1))
    .map((address) => {
      const data = bytesOf(address)
      return Buffer.concat([short(0xc00c), short(type), short(1), short(0), short(0), short(data.length), data])
    })
  const code = fails ? 2 : known === undefined ? 3 : 0
  const counts = [1, records.length, 0, 0].map(short)
  return Buffer.concat([query.subarray(0, 2), short(0x8180 | code), ...counts, question, ...records])
}

/**
 * Starts the name server. Returns the address of the name server as `host:port`, in the form that
 * `makeNameServerLookup` takes.
 */
export const startNameServer = (zone: NameServerZone) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<Socket>((resume) => {
        const socket = createSocket("udp4")
        socket.on("message", (query: Buffer, from: RemoteInfo) =>
          socket.send(reply(zone, query), from.port, from.address)
        )
        socket.bind(0, "127.0.0.1", () => resume(Effect.succeed(socket)))
      }),
      (socket) =>
        Effect.callback<void>((resume) => {
          socket.close(() => resume(Effect.void))
        })
    ),
    (socket) => `127.0.0.1:${socket.address().port}`
  )
