/**
 * A proxy to a Postgres server that parses the protocol. Tests use the proxy to count round trips and to interrupt
 * connections. A round trip consists of all statements that a client sends before the client waits for the server.
 */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** The statements of one round trip, in the order in which the client sent the statements. */
export type RoundTripStatements = ReadonlyArray<string>

export interface PostgresRecordingProxy {
  /** The server's URL through this proxy. */
  readonly url: string
  /** All round trips so far, on all connections. */
  readonly roundTrips: Array<RoundTripStatements>
  /** Returns the number of open connections. */
  readonly open: () => number
  /**
   * Resets one random connection. With `"transaction"`, resets one random connection that has an open transaction.
   * Returns false if no connection matches.
   */
  readonly cut: (where: "transaction" | "anywhere") => boolean
  /** Discards all later traffic on the existing connections, without notifying either side. */
  readonly freeze: () => void
  /** Resets each existing connection when its client next writes, like a server that no longer knows the connection. */
  readonly forget: () => void
  /** Stops all traffic on existing and new connections, as if the server were suspended. */
  readonly silence: () => void
  /** Delivers the traffic that `silence` has held. */
  readonly resume: () => void
  readonly close: () => Promise<void>
}

/**
 * Splits a byte stream into protocol messages. A connection's first message has no type byte. Each message after the
 * first has a type letter and a length.
 */
class Messages {
  private rest: Buffer = Buffer.alloc(0)
  private opening: boolean
  private readonly take: (type: string, body: Buffer) => void

  constructor(opening: boolean, take: (type: string, body: Buffer) => void) {
    this.opening = opening
    this.take = take
  }

  push(bytes: Buffer): void {
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes])
    for (;;) {
      const from = this.opening ? 0 : 1
      if (this.rest.length < from + 4) return
      const end = from + this.rest.readUInt32BE(from)
      if (this.rest.length < end) return
      this.take(this.opening ? "" : String.fromCharCode(this.rest[0] ?? 0), this.rest.subarray(from + 4, end))
      this.opening = false
      this.rest = this.rest.subarray(end)
    }
  }
}

const texts = (body: Buffer): ReadonlyArray<string> => body.toString("utf8").split("\0")

/**
 * Opens a proxy to the target. The target must not require TLS, because the proxy reads plain text. By default the
 * proxy records round trips.
 */
export const openPostgresRecordingProxy = async (
  target: string,
  options: { readonly writesDown?: boolean } = {}
): Promise<PostgresRecordingProxy> => {
  const { writesDown = true } = options
  const { hostname, port } = new URL(target)
  const turns: Array<RoundTripStatements> = []
  const lines = new Set<Line>()
  let isSilent = false

  interface Line {
    readonly client: Socket
    readonly server: Socket
    inTransaction: boolean
    isFrozen: boolean
    isForgotten: boolean
  }

  const listener = createServer((client) => {
    const server = connect(Number(port), hostname)
    const line: Line = { client, server, inTransaction: false, isFrozen: false, isForgotten: false }
    lines.add(line)
    const hangUp = () => {
      lines.delete(line)
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) socket.on("error", hangUp).on("close", hangUp).setNoDelay(true)

    const named = new Map<string, string>()
    let turn: Array<string> | null = null
    const say = (statement: string) => {
      if (!writesDown) return
      if (turn === null) {
        turn = []
        turns.push(turn)
      }
      turn.push(statement.replaceAll(/\s+/g, " ").trim())
    }
    const sent = new Messages(true, (type, body) => {
      const [first = "", second = ""] = type === "P" || type === "B" || type === "Q" ? texts(body) : []
      if (type === "P") named.set(first, second)
      if (type === "B") say(named.get(second) ?? second)
      if (type === "Q") say(first)
    })
    const answered = new Messages(false, (type, body) => {
      if (type !== "Z") return
      turn = null
      line.inTransaction = body[0] !== "I".charCodeAt(0)
    })
    client.on("data", (bytes: Buffer) => {
      if (line.isFrozen) return
      if (line.isForgotten) {
        client.resetAndDestroy()
        return
      }
      sent.push(bytes)
      server.write(bytes)
    })
    server.on("data", (bytes: Buffer) => {
      if (line.isFrozen) return
      answered.push(bytes)
      client.write(bytes)
    })
    if (isSilent) pause(line)
  })
  const pause = ({ client, server }: Line) => {
    client.pause()
    server.pause()
  }
  listener.listen(0, "127.0.0.1")
  await once(listener, "listening")
  const url = new URL(target)
  url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`

  return {
    url: url.href,
    roundTrips: turns,
    open: () => lines.size,
    cut: (where) => {
      const all = [...lines].filter(({ inTransaction }) => where === "anywhere" || inTransaction)
      const line = all[Math.floor(Math.random() * all.length)]
      line?.client.resetAndDestroy()
      line?.server.resetAndDestroy()
      return line !== undefined
    },
    freeze: () => {
      for (const line of lines) line.isFrozen = true
    },
    forget: () => {
      for (const line of lines) line.isForgotten = true
    },
    silence: () => {
      isSilent = true
      lines.forEach(pause)
    },
    resume: () => {
      isSilent = false
      for (const { client, server } of lines) {
        client.resume()
        server.resume()
      }
    },
    close: async () => {
      listener.close()
      for (const { client } of lines) client.destroy()
      await once(listener, "close")
    }
  }
}
