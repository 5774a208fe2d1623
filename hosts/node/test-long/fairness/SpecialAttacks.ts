/** Special attacks, which use unusual behaviour of clients or unusual content of requests. */
import {
  type Attack,
  type AttackRequest,
  type ConnectionBehavior,
  getCyclicElement,
  makeGetRequest,
  makeRequestWithBody
} from "./Attack.ts"
import * as Receiver from "./Receiver.ts"

const events: Attack["ask"] = () => makeGetRequest("/events?limit=100")

/** Events exist, so the service answers at once. */
const waitingForEvents: Attack["ask"] = () => ({ ...makeGetRequest("/events?order=asc&limit=100"), prefer: "wait=1" })

const streams: Attack["ask"] = () => makeGetRequest("/events/stream")

const heavyReads: Attack["ask"] = ({ attacker }, nth) =>
  makeGetRequest(
    getCyclicElement(
      [
        `/topics/by-reference/${attacker.reference}`,
        `/topics/${attacker.topic}`,
        `/topics/${attacker.topic}/commentaries`,
        `/webhooks/${attacker.webhook}/deliveries?limit=100`,
        "/topics?limit=100",
        "/metrics/performance",
        "/personas"
      ],
      nth
    )
  )

/** Sends the requests with the keys of all crowd organizations in turn. */
const ofCrowd =
  (ask: Attack["ask"]): Attack["ask"] =>
  (scene, nth, prepared) => {
    const attacker = getCyclicElement(scene.crowd, nth)
    const asked = ask({ ...scene, attacker }, Math.floor(nth / scene.crowd.length), prepared)
    return { ...asked, key: getCyclicElement(attacker.live, 0) }
  }

/** Each request uses a different API key, and none of these keys exists. */
const claimedKeys: Attack["ask"] = (_, nth) => ({
  ...makeGetRequest("/events"),
  key: `pk_live_${process.pid}claimed${nth}`
})

/** The requests for the API explorer accept no compression, so the service has to decompress the explorer's files. */
const explorer: Attack["ask"] = (_, nth) => ({
  method: "GET",
  path: getCyclicElement(["/docs/scalar.js", "/openapi.json", "/docs"], nth),
  by: "none"
})

const large = { note: "x".repeat(16_000) }

/** The request's body is just below the maximum size. A body with many small values takes longest to parse. */
const many = (bytes: number) => `[${"{},".repeat(bytes / 3)}0]`

/**
 * A bulk request with large topics that are all refused. The body is built only once, because building the body takes
 * longer than sending it.
 */
const refusedBulk = JSON.stringify({
  topics: Array.from({ length: 100 }, (_, each) => ({
    content: `Who wins match ${each}?`,
    persona_ids: ["7e570000-0000-4000-8000-00000000ffff"],
    metadata: { list: JSON.parse(many(15_000)) }
  }))
})

/**
 * A body of a bulk request just below the size limit. The long text of the body is in a field that the service ignores.
 */
const largeBulk = `{"topics":[{}],"ignored":${many(4_190_000)}}`

/** Adds a new idempotency key to each request, so that the service stores every response. */
const freshKey = (ask: AttackRequest, nth: number): AttackRequest => ({
  ...ask,
  idempotencyKey: `${process.pid}-${nth}`
})

const makeAttacksByBehavior = (
  name: string,
  ask: Attack["ask"],
  connections: Partial<Readonly<Record<ConnectionBehavior, number>>>
) =>
  Object.fromEntries(
    Object.entries(connections).map(([manner, count]): [string, Attack] => [
      `${name}, a client that ${manner}`,
      { ask, manner: manner as ConnectionBehavior, connections: count }
    ])
  )

export const specialAttacks: Readonly<Record<string, Attack>> = {
  ...makeAttacksByBehavior("GET /events", events, { asks: 240, leaves: 60, pipelines: 60, trickles: 240 }),
  ...makeAttacksByBehavior("GET /events/stream", streams, { asks: 240, leaves: 60, pipelines: 60, trickles: 240 }),
  ...makeAttacksByBehavior("all heavy reads", heavyReads, { asks: 240, leaves: 60, pipelines: 60, trickles: 240 }),
  ...Object.fromEntries(
    Object.entries(
      makeAttacksByBehavior("all heavy reads of 12 organizations", ofCrowd(heavyReads), {
        asks: 240,
        leaves: 120,
        trickles: 240
      })
    ).map(([name, attack]): [string, Attack] => [name, { ...attack, limits: "standard", lasts: 5000 }])
  ),
  "GET /events with `Prefer: wait` of 12 organizations": {
    ask: ofCrowd(waitingForEvents),
    connections: 240,
    limits: "standard",
    lasts: 5000
  },
  "keys that do not exist": { ask: claimedKeys, connections: 1000 },
  ...makeAttacksByBehavior("openapi.json and docs", explorer, { asks: 60, leaves: 60, pipelines: 60, trickles: 240 }),
  "bulk, every topic refused": {
    connections: 8,
    ask: () => makeRequestWithBody("POST", "/topics/bulk", refusedBulk)
  },
  "bulk, a client that leaves": {
    manner: "leaves",
    connections: 8,
    ask: () => makeRequestWithBody("POST", "/topics/bulk", refusedBulk)
  },
  "bulk, a million small values": {
    connections: 8,
    ask: () => makeRequestWithBody("POST", "/topics/bulk", largeBulk)
  },
  "fresh Idempotency-Keys, accepted topics": {
    ask: ({ attacker }, nth) =>
      freshKey(
        makeRequestWithBody("POST", "/topics", {
          content: `Who wins ${nth} of ${process.pid} by key?`,
          persona_ids: attacker.personas
        }),
        nth
      )
  },
  "fresh Idempotency-Keys, refused bulk": {
    connections: 8,
    ask: (_, nth) => freshKey(makeRequestWithBody("POST", "/topics/bulk", refusedBulk), nth)
  },
  "invalid bodies": {
    ask: (_, nth) =>
      makeRequestWithBody(
        getCyclicElement(["POST", "POST", "PATCH"], nth),
        getCyclicElement(["/topics", "/webhooks", "/webhooks/7e570000-0000-4000-8000-000000000002"], nth),
        getCyclicElement(
          [`{"metadata":${many(250_000)}}`, "[".repeat(250_000), `{"content":"${"\\u0000".repeat(40_000)}"}`],
          nth
        )
      )
  },
  "receivers of all kinds": { ...Receiver.makeDeliveryAttack(...Receiver.receiverKinds), limits: "standard" },
  ...Object.fromEntries(
    Receiver.receiverKinds.map((kind): [string, Attack] => [
      `receivers: ${kind}`,
      { ...Receiver.makeDeliveryAttack(kind), limits: "raised" }
    ])
  ),
  "PATCH of a webhook's URL": {
    ask: ({ attacker }, nth) =>
      makeRequestWithBody("PATCH", `/webhooks/${attacker.webhook}`, { url: `http://127.0.0.1:9/${process.pid}/${nth}` })
  },
  "creators' pages": {
    ask: ({ links }, nth) => ({ method: "GET", path: new URL(getCyclicElement(links, nth)).pathname, by: "none" })
  },
  // Keep the attack on the test environment's storage at the end of the list, because this attack fills storage that
  // the other attacks need.
  "test environment's storage": {
    limits: "raised",
    connections: 8,
    ask: (_, nth) =>
      makeRequestWithBody(
        "POST",
        "/topics/bulk",
        {
          topics: Array.from({ length: 100 }, (__, each) => ({
            content: `Who stores match ${nth} ${each} of ${process.pid}?`,
            persona_ids: [1, 2, 3, 4, 5].map((persona) => `7e570000-0000-4000-8000-00000000000${persona}`),
            metadata: large
          }))
        },
        "test"
      )
  }
}
