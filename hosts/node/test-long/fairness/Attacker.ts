/**
 * A program that runs one attack until its process is killed. The command is `node Attacker.ts SCENE.json NAME
 * FIRST_KEY ROOT`. The attacker is a separate process, so that its work does not distort the victim's time
 * measurements. The attacker reports its responses to the test.
 */
import { readFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { type Attack, type AttackRequest, getConnectionCount, getCyclicElement } from "./Attack.ts"
import * as Attacks from "./Attacks.ts"
import type { FairnessSetup } from "./Seed.ts"

/**
 * The attacker's report to the test. `answers` counts the responses by status. Status 0 counts connections that ended
 * without a response.
 */
export interface AttackResponseCounts {
  readonly sent: number
  readonly answers: Readonly<Record<string, number>>
}

// biome-ignore lint/suspicious/noExplicitAny: each attack knows the shape of its responses
export type SendAttackRequest = (ask: AttackRequest) => Promise<{ readonly status: number; readonly data: any }>

/** The number of API keys that the attacker uses at the same time, as a tenant with several servers does. */
const keysAtOnce = 4

/** The second half of the connections opens after so many milliseconds, when the service works on the first half. */
const secondHalfMs = 300

/** The number of requests in flight on one connection, which is one less than the server's limit. */
const pipelined = 31

const [file = "", name = "", firstKey = "0", root = ""] = process.argv.slice(2)
const { hostname, port } = new URL(root)

const run = async (scene: FairnessSetup, attack: Attack) => {
  const tally: Record<string, number> = {}
  const count = (status: string) => {
    tally[status] = (tally[status] ?? 0) + 1
  }
  const credentials = ({ by, key }: AttackRequest, nth: number): Record<string, string> => {
    if (key !== undefined) return { "x-api-key": key }
    if (by === "none") return {}
    if (by === "dashboard") return { authorization: `Bearer ${scene.token}` }
    return { "x-api-key": getCyclicElement(scene.attacker[by], Number(firstKey) + (nth % keysAtOnce)) }
  }
  const headersOf = (ask: AttackRequest, nth: number) => {
    const { body, idempotencyKey, prefer } = ask
    return {
      host: `${hostname}:${port}`,
      ...credentials(ask, nth),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      ...(prefer === undefined ? {} : { prefer }),
      ...(body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) })
    }
  }
  const agent = new Agent({ keepAlive: true })

  const exchange = (ask: AttackRequest, nth: number, keeps: boolean, leaves: boolean) =>
    new Promise<{ readonly status: number; readonly text: string }>((resolve) => {
      const { method, path } = ask
      const asked = request({
        agent: leaves ? false : agent,
        hostname,
        port,
        method,
        path,
        headers: headersOf(ask, nth)
      })
      asked.on("error", () => resolve({ status: 0, text: "" }))
      asked.on("response", (response) => {
        let text = ""
        if (keeps) response.setEncoding("utf8").on("data", (part) => (text += part))
        else response.resume()
        response.on("close", () => resolve({ status: response.statusCode ?? 0, text }))
      })
      asked.end(ask.body)
      // Close the connection after 5 milliseconds, so that the service has received the request and begun to process
      // it.
      if (leaves) asked.on("finish", () => setTimeout(() => asked.destroy(), 5))
    })

  const call: SendAttackRequest = async (ask) => {
    const { status, text } = await exchange(ask, 0, true, false)
    return { status, data: status === 0 ? undefined : JSON.parse(text).data }
  }

  let nth = 0
  const text = (ask: AttackRequest, of: number) =>
    `${ask.method} ${ask.path} HTTP/1.1\r\n${Object.entries(headersOf(ask, of))
      .map((header) => header.join(": "))
      .join("\r\n")}\r\n\r\n${ask.body ?? ""}`
  const opened = (write: (socket: Socket) => void) =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => write(socket))
      socket.on("error", () => {}).on("close", () => resolve())
    })

  const prepared = (await attack.prepare?.(scene, call)) ?? []
  const next = () => attack.ask(scene, nth, prepared)
  const manners: Readonly<Record<NonNullable<Attack["manner"]>, () => Promise<void>>> = {
    asks: async () => count(String((await exchange(next(), nth++, false, false)).status)),
    leaves: async () => count(String((await exchange(next(), nth++, false, true)).status)),
    pipelines: () =>
      opened((socket) => {
        socket.pause()
        for (let each = 0; each < pipelined; each++) socket.write(text(next(), nth++))
      }),
    trickles: () =>
      opened((socket) => {
        socket.write(text(next(), nth++))
        socket.once("data", (head) => count(String(head.subarray(9, 12))))
        socket.on("data", () => {
          socket.pause()
          setTimeout(() => socket.resume(), 100)
        })
      })
  }
  setInterval(() => process.send?.({ sent: nth, answers: tally } satisfies AttackResponseCounts), 100)
  const once = manners[attack.manner ?? "asks"]
  await Promise.all(
    Array.from({ length: getConnectionCount(attack) }, async (_, index) => {
      if (index >= getConnectionCount(attack) / 2) await sleep(secondHalfMs)
      for (;;) {
        const began = nth
        await once()
        // Pause after a refused connection, because immediate retries would only use the attacker's own CPU time.
        if (nth === began || tally["0"] !== undefined) await sleep(5)
      }
    })
  )
}

const attack = Attacks.allAttacks[name]
if (attack === undefined) throw new Error(`there is no attack ${name}`)
await run(JSON.parse(readFileSync(file, "utf8")) as FairnessSetup, attack)
