/**
 * The load generator, in a separate process: keep-alive connections in a closed loop over plain sockets. The load
 * generator implements only the necessary parts of HTTP, so that it is not the bottleneck. The parent process sends
 * each round over IPC and receives the outcome.
 */
import { connect, type Socket } from "node:net"

export interface LoadRound {
  readonly port: number
  readonly key: string
  /**
   * `post` submits topics, each with a different text. `get` requests the status of each topic in turn. `paths` sends a
   * GET request for each path in turn.
   */
  readonly send:
    | { readonly kind: "post"; readonly personaIds: ReadonlyArray<string> }
    | { readonly kind: "get"; readonly topicIds: ReadonlyArray<string> }
    | { readonly kind: "paths"; readonly paths: ReadonlyArray<string> }
    | { readonly kind: "root" }
  readonly connections: number
  /** A round ends after `seconds` or after `requests`, whichever comes first. */
  readonly seconds: number
  readonly requests: number
  /** The maximum number of ids of created topics that the outcome contains. */
  readonly collect: number
}

export interface LoadRoundOutcome {
  readonly requests: number
  readonly perSecond: number
  /** The response times in milliseconds. */
  readonly p50: number
  readonly p99: number
  /** The number of responses other than 200 and 201; `firstRefusal` is the first of these responses. */
  readonly refused: number
  readonly firstRefusal: string | null
  readonly topicIds: ReadonlyArray<string>
  /** The generator's share of one CPU core. */
  readonly clientCpu: number
}

/**
 * A prefix that is unique to this process. With this prefix, load generators that start at the same time send different
 * topics.
 */
const run = `${Date.now().toString(36)}-${process.pid}`
let number = 0

const requests = ({ key, send }: LoadRound): (() => string) => {
  const headers = `Host: 127.0.0.1\r\nX-Api-Key: ${key}\r\nAccept: application/json\r\n`
  if (send.kind === "root") return () => `GET / HTTP/1.1\r\n${headers}\r\n`
  if (send.kind === "get" || send.kind === "paths") {
    const paths = send.kind === "paths" ? send.paths : send.topicIds.map((id) => `/topics/${id}/status`)
    const texts = paths.map((path) => `GET /partner/v1${path} HTTP/1.1\r\n${headers}\r\n`)
    return () => texts[number++ % texts.length]!
  }
  const personaIds = JSON.stringify(send.personaIds)
  return () => {
    const name = `${run}-${number++}`
    const body = `{"content":"Which team improves the most over the rest of season ${name}, and why?","persona_ids":${personaIds},"external_reference":"bench:${name}"}`
    return `POST /partner/v1/topics HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  }
}

const play = (round: LoadRound): Promise<LoadRoundOutcome> => {
  const next = requests(round)
  const latencies: Array<number> = []
  const topicIds: Array<string> = []
  let refused = 0
  let firstRefusal: string | null = null
  let started = 0
  const cpu = process.cpuUsage()
  const begin = performance.now()
  const deadline = begin + round.seconds * 1000
  let last = begin

  const answered = (text: string, sentAt: number) => {
    last = performance.now()
    latencies.push(last - sentAt)
    if (text.startsWith(" 200 ", 8) || text.startsWith(" 201 ", 8)) {
      if (topicIds.length < round.collect) topicIds.push(/"topic_id":"([^"]+)"/.exec(text)?.[1] ?? "")
    } else {
      refused++
      firstRefusal ??= text
    }
  }

  const talk = (socket: Socket, finish: () => void) => {
    let pending = ""
    let sentAt = 0
    const send = () => {
      if (started >= round.requests || performance.now() >= deadline) return finish()
      started++
      sentAt = performance.now()
      socket.write(next(), "latin1")
    }
    socket.on("data", (chunk) => {
      pending = pending === "" ? chunk.toString("latin1") : pending + chunk.toString("latin1")
      const head = pending.indexOf("\r\n\r\n")
      if (head < 0) return
      const length = /\r\ncontent-length: (\d+)/i.exec(pending.slice(0, head))?.[1]
      if (length === undefined) return void socket.destroy(new Error(`An answer without length: ${pending}`))
      if (pending.length < head + 4 + Number(length)) return
      const text = pending
      pending = ""
      answered(text, sentAt)
      send()
    })
    send()
  }

  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ port: round.port, host: "127.0.0.1", noDelay: true }, () =>
        talk(socket, () => {
          resolve()
          socket.end()
        })
      )
      socket.on("error", reject)
      socket.on("close", () => reject(new Error("The server closed a connection in the middle of a round.")))
    })

  return Promise.all(Array.from({ length: round.connections }, one)).then(() => {
    const spent = process.cpuUsage(cpu)
    const sorted = Float64Array.from(latencies).sort()
    const elapsed = last - begin
    return {
      requests: sorted.length,
      perSecond: (sorted.length / elapsed) * 1000,
      p50: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
      p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
      refused,
      firstRefusal,
      topicIds,
      clientCpu: (spent.user + spent.system) / 1000 / elapsed
    }
  })
}

process.on("message", (round: LoadRound) => {
  play(round).then(
    (outcome) => process.send?.({ outcome }),
    (error: unknown) => process.send?.({ failure: String(error) })
  )
})
