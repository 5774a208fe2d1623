/** Tests events over real sockets and the production transport, from a creator's action to the receiver's response. */
import { createServer, type Server } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { assert, it } from "@effect/vitest"
import { verifyWebhook } from "@partner-commentary/client"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as NodeWebhookTransport from "@partner-commentary/webhook/NodeWebhookTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import {
  advanceToNextAttempt,
  makeDeliveriesApiReader,
  registerWebhook,
  seedDecliningPartner
} from "../support/DeliveryCalls.ts"
import { eventually } from "../support/Eventually.ts"
import { requestWebhookTest } from "../support/WebhookCalls.ts"

const application = TestApi.layerHttp.pipe(
  Layer.provideMerge(TestApi.workers),
  Layer.provideMerge(
    Application.layer({
      transport: NodeWebhookTransport.layer({ allowPrivate: true }),
      outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer)
    })
  )
)

interface Arrived {
  readonly headers: Record<string, string>
  readonly body: string
}

/** Starts a receiver that responds once with each of these statuses, and then with 204. */
const receiver = (...statuses: ReadonlyArray<number>) => {
  const arrived: Array<Arrived> = []
  const left = [...statuses]
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk) => chunks.push(chunk))
    request.on("end", () => {
      arrived.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks).toString("utf8") })
      response.writeHead(left.shift() ?? 204).end()
    })
  })
  return Effect.map(
    Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      () =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    ),
    () => ({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, arrived })
  )
}

/**
 * Reserves a port on which no server listens. An open connection uses the port as its local port, so no other process
 * can use the port.
 */
const deserted = Effect.gen(function* () {
  const { url } = yield* receiver()
  const socket = yield* Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const opened = connect(Number(new URL(url).port), "127.0.0.1", () => resume(Effect.succeed(opened)))
    }),
    (opened) => Effect.sync(() => opened.destroy())
  )
  return `http://127.0.0.1:${socket.localPort}/hook`
})

it.effect("an event arrives signed, and is sent again with the same bytes after a failure", () =>
  Effect.gen(function* () {
    const { arrived, url } = yield* receiver(500, 302)
    yield* Effect.gen(function* () {
      yield* TestClock.setTime(Date.now())
      const { declined, key } = yield* seedDecliningPartner
      const hook = yield* registerWebhook(key, ["commentary.failed"], url)
      yield* declined("Wer gewinnt „das Derby“? 🏆")
      const { list } = makeDeliveriesApiReader(key, hook.id)
      // Move the clock exactly to the next attempt's time, because the timeout of an attempt uses the same clock.
      for (const count of [1, 2]) {
        yield* hook.failures(count)
        yield* advanceToNextAttempt(list)
      }
      yield* hook.failures(0)
      assert.strictEqual(arrived.length, 3)
      for (const { body, headers } of arrived) {
        assert.strictEqual(body, arrived[0]?.body)
        const sentAt = Number(headers["webhook-timestamp"]) * 1000
        const event = yield* Effect.promise(() => verifyWebhook(body, headers, hook.secret, { now: new Date(sentAt) }))
        assert.strictEqual(event.type, "commentary.failed")
        assert.strictEqual(headers["webhook-id"], event.id)
        assert.strictEqual(headers["content-type"], "application/json")
      }
    }).pipe(Effect.provide(application))
  })
)

it.effect("a delivery to a port without a listener is retried until a receiver listens there", () =>
  Effect.gen(function* () {
    yield* Effect.gen(function* () {
      const { declined, key } = yield* seedDecliningPartner
      const gone = yield* deserted
      const { arrived, url } = yield* receiver()
      const hooks = [
        yield* registerWebhook(key, ["commentary.failed"], gone),
        yield* registerWebhook(key, ["commentary.failed"], url)
      ]
      yield* declined("Who goes down this season?")
      yield* eventually(
        "the healthy one",
        Effect.sync(() => arrived.length === 1)
      )
      yield* hooks[0]?.failures(1) ?? Effect.void
      const { body } = yield* requestWebhookTest(key, hooks[0]?.id ?? "")
      assert.deepInclude(body, { success: false, delivery_status: "failed", response_code: null })
      assert.strictEqual((yield* requestWebhookTest(key, hooks[1]?.id ?? "")).body.response_code, 204)
    }).pipe(Effect.provide(application))
  })
)
