/**
 * Runs the peer, a small hand-written service that is the baseline of the comparison. The peer has POST /topics, GET
 * /topics/{id}/status and some other reads (`peer/Reads.ts`), on Fastify 5 and `node:sqlite`.
 *
 * The comparison service implements what the specification requires of POST /topics and GET /topics/{id}/status. It
 * finds keys by SHA-256 with a cache of a few seconds, and checks each key's expiry, revocation, address list, rate
 * windows and scope. The library ajv checks the body, reports every problem, and measures lengths in code points. The
 * comparison service checks licences, duplicate windows and the monthly quota. One transaction per submission writes
 * the topic, assignments, queued mails and totals (`peer/Store.ts`). Response schemas let fast-json-stringify write the
 * JSON. Every response has an `X-Request-Id`.
 *
 * The peer omits parts that would only slow it down: idempotency keys, address ranges, and the checks of JSON for
 * duplicate keys and inexact numbers. The tables of the peer have no columns and indexes for the steps after a
 * submission (drafts, generation, creators' links).
 *
 * `node bench/peer.ts FILE` seeds an empty FILE, listens on a free port and prints one line of JSON.
 */
import { makeTopicCreatedResponse, makeTopicStatusResponse, parseNewTopic, parseTopicId } from "./peer/Answers.ts"
import { startPeerServer } from "./peer/App.ts"
import { makeAuthenticationHook } from "./peer/Keys.ts"
import { makePeerReadEndpoints } from "./peer/Reads.ts"
import { seedPeer } from "./peer/Seed.ts"
import { openPeerStore } from "./peer/Store.ts"

const store = openPeerStore(process.argv[2]!)

await startPeerServer(
  {
    authenticate: makeAuthenticationHook(store),
    submit: (request, reply) => {
      const { body, caller } = request
      const topic = parseNewTopic(body, (now) => {
        const rows = new Map()
        for (const id of body.persona_ids) {
          const key = id.toLowerCase()
          if (!rows.has(key)) rows.set(key, store.licensed(caller, key, now))
        }
        return rows
      })
      const holders = topic.personas.length === 0 ? new Map() : store.submit(caller, topic)
      const answer = makeTopicCreatedResponse(body, topic, holders)
      reply.code(201).header("location", `/partner/v1/topics/${topic.id}`)
      reply.send(answer)
    },
    status: (request, reply) => {
      const id = parseTopicId(request.params.id)
      reply.send(makeTopicStatusResponse(id, store.status(request.caller, id)))
    },
    reads: makePeerReadEndpoints(store.db)
  },
  seedPeer(store.db)
)
