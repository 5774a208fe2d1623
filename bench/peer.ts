/**
 * The peer, which is the baseline of the comparison: POST /topics and GET /topics/{id}/status, written by hand on
 * Fastify 5 and
 * `node:sqlite`, and some other reads (`peer/Reads.ts`), without any other part of the service.
 *
 * The peer implements the specification's requirements for the first two operations:
 * - key check by SHA-256 with a cache of a few seconds, expiry, revocation, address list, rate windows and scope;
 * - ajv for the body, with every problem named, and length in code points;
 * - licences, duplicate windows and the monthly quota;
 * - topic, assignments, queued mails and totals in one transaction per request (`peer/Store.ts`);
 * - response schemas, so that fast-json-stringify writes the JSON, and `X-Request-Id` on every response.
 *
 * The peer omits parts that would only make the peer slower: idempotency keys, address ranges, duplicate keys and
 * inexact numbers in JSON. It also omits the columns and indexes for the steps after a submission (drafts, generation,
 * creators' links).
 *
 * `node bench/peer.ts FILE` seeds an empty FILE, listens on a free port and prints one line of JSON.
 */
import { createdAnswer, parseNewTopic, parseTopicId, progressOf } from "./peer/Answers.ts"
import { listenForRequests } from "./peer/App.ts"
import { makeAuthentication } from "./peer/Keys.ts"
import { makeReads } from "./peer/Reads.ts"
import { seedPeer } from "./peer/Seed.ts"
import { openPeerStore } from "./peer/Store.ts"

const store = openPeerStore(process.argv[2]!)

await listenForRequests(
  {
    authenticate: makeAuthentication(store),
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
      const answer = createdAnswer(body, topic, holders)
      reply.code(201).header("location", `/partner/v1/topics/${topic.id}`)
      reply.send(answer)
    },
    status: (request, reply) => {
      const id = parseTopicId(request.params.id)
      reply.send(progressOf(id, store.status(request.caller, id)))
    },
    reads: makeReads(store.db)
  },
  seedPeer(store.db)
)
