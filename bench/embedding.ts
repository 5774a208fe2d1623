/**
 * `node bench/embedding.ts` compares the service inside an application's own server of `node:http` with the peer, on
 * SQLite in one run. With `--quick`, the benchmark runs fewer and shorter rounds.
 */
import { compareWithPeer } from "./Compare.ts"
import * as Servers from "./Servers.ts"

await compareWithPeer(Servers.startEmbeddedService, async (compare) => {
  await compare("POST /topics, 3 personas", null, ({ personaIds }) => ({ kind: "post", personaIds }))
  await compare("GET /topics/{id}/status", null, (_, topicIds) => ({ kind: "get", topicIds }))
})
