/**
 * `node bench/reads.ts` compares the reads of partners with the peer's, on SQLite in one run: a topic, its
 * commentaries, a list of 20 topics, the personas, and an empty event log. With `--quick`, the benchmark runs fewer and
 * shorter rounds.
 */
import { execFileSync } from "node:child_process"
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

const topic = (suffix: string) => (topicIds: ReadonlyArray<string>) => topicIds.map((id) => `/topics/${id}${suffix}`)

const reads: Readonly<Record<string, (topicIds: ReadonlyArray<string>) => ReadonlyArray<string>>> = {
  "GET /topics/{id}": topic(""),
  "GET /topics/{id}/commentaries": topic("/commentaries"),
  "GET /topics?limit=20": () => ["/topics?limit=20"],
  "GET /personas": () => ["/personas"],
  "GET /events": () => ["/events"]
}

const folder = mkdtempSync(join(tmpdir(), "partner-commentary-reads-"))
const generator = startLoadGenerator()
try {
  execFileSync(process.execPath, [join(import.meta.dirname, "../scripts/bundle.ts")], { stdio: "ignore" })
  for (const line of Machine.describeMachine(folder)) printLine(line)
  printLine()
  const fixtures = await makeFixtures(folder)
  const peer = await Servers.startPeer(folder)
  const ours = await Servers.startService(folder, fixtures, "--no-worker")
  const topicIds = new Map<Servers.BenchmarkServer, ReadonlyArray<string>>()
  for (const server of [peer, ours]) {
    const send = { kind: "post", personaIds: server.personaIds } as const
    topicIds.set(
      server,
      (await runLoadRound(generator, server, { ...hourLongLoadRound, requests: 200, collect: 200, send })).topicIds
    )
  }
  for (const [title, pathsOf] of Object.entries(reads)) {
    await compareServers(generator, plan, title, 1, peer, ours, (server) => ({
      kind: "paths",
      paths: pathsOf(topicIds.get(server) ?? [])
    }))
  }
} finally {
  Servers.killAllServers()
  generator.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
