/**
 * `node bench/embedding.ts` compares the service inside an application's own server of `node:http` with the peer, on
 * SQLite in one run. With `--quick`, the benchmark runs fewer and shorter rounds.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compareServers, hourLongLoadRound, printLine, runLoadRound, startLoadGenerator } from "./Compare.ts"
import { makeFixtures } from "./Fixtures.ts"
import * as Machine from "./Machine.ts"
import * as Servers from "./Servers.ts"

const plan = process.argv.includes("--quick")
  ? { rounds: 4, seconds: 1.2, warmUp: 1.5 }
  : { rounds: 8, seconds: 2.5, warmUp: 3 }

const folder = mkdtempSync(join(tmpdir(), "partner-commentary-embedding-"))
const generator = startLoadGenerator()
try {
  for (const line of Machine.describeMachine(folder)) printLine(line)
  printLine()
  const fixtures = await makeFixtures(folder)
  const peer = await Servers.startPeer(folder)
  const ours = { ...(await Servers.startEmbeddedService(folder)), ...fixtures }
  const topicIds = new Map<Servers.BenchmarkServer, ReadonlyArray<string>>()
  for (const server of [peer, ours]) {
    const send = { kind: "post", personaIds: server.personaIds } as const
    const sent = { ...hourLongLoadRound, requests: 200, collect: 200, send }
    topicIds.set(server, (await runLoadRound(generator, server, sent)).topicIds)
  }
  await compareServers(generator, plan, "POST /topics, 3 personas", null, peer, ours, ({ personaIds }) => ({
    kind: "post",
    personaIds
  }))
  await compareServers(generator, plan, "GET /topics/{id}/status", null, peer, ours, (server) => ({
    kind: "get",
    topicIds: topicIds.get(server) ?? []
  }))
} finally {
  Servers.killAllServers()
  generator.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
