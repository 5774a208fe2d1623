/**
 * Runs the peer on Postgres. The Postgres peer does the same work as `bench/peer.ts`, but uses `pg` (`Store.ts`).
 * Before the start, the database at URL must contain the product's schema, and a partner that the product created.
 *
 * The Postgres peer omits the product's daily metrics, and the same parts as `bench/peer.ts`.
 *
 * `node bench/postgres/peer.ts URL KEY` listens on a free port and prints one line of JSON.
 */
import * as Database from "../Database.ts"
import { makeTopicCreatedResponse, makeTopicStatusResponse, parseNewTopic, parseTopicId } from "../peer/Answers.ts"
import { startPeerServer } from "../peer/App.ts"
import { makeAuthenticationHook } from "../peer/Keys.ts"
import { openPostgresPeerStore } from "./Store.ts"

const pool = Database.openPool(process.argv[2]!, 10)
const store = openPostgresPeerStore(pool)
const { rows: personas } = await pool.query("SELECT id FROM personas ORDER BY id LIMIT 3")

await startPeerServer(
  {
    authenticate: makeAuthenticationHook(store),
    submit: async (request, reply) => {
      const { body, caller } = request
      const rows = await store.licensed(
        caller,
        body.persona_ids.map((id) => id.toLowerCase()),
        new Date().toISOString()
      )
      const topic = parseNewTopic(body, () => rows)
      const holders = topic.personas.length === 0 ? new Map() : await store.submit(caller, topic)
      const answer = makeTopicCreatedResponse(body, topic, holders)
      reply.code(201).header("location", `/partner/v1/topics/${topic.id}`)
      return reply.send(answer)
    },
    status: async (request, reply) => {
      const id = parseTopicId(request.params.id)
      return reply.send(makeTopicStatusResponse(id, await store.status(request.caller, id)))
    }
  },
  { key: process.argv[3]!, personaIds: personas.map(({ id }) => id as string) }
)
