/**
 * `node bench/reads.ts` compares the reads of partners with the peer's, on SQLite in one run: a topic, its
 * commentaries, a list of 20 topics, the personas, and an empty event log. With `--quick`, the benchmark runs fewer and
 * shorter rounds.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { compareWithPeer } from "./Compare.ts"
import * as Servers from "./Servers.ts"

const topic = (suffix: string) => (topicIds: ReadonlyArray<string>) => topicIds.map((id) => `/topics/${id}${suffix}`)

const reads: Readonly<Record<string, (topicIds: ReadonlyArray<string>) => ReadonlyArray<string>>> = {
  "GET /topics/{id}": topic(""),
  "GET /topics/{id}/commentaries": topic("/commentaries"),
  "GET /topics?limit=20": () => ["/topics?limit=20"],
  "GET /personas": () => ["/personas"],
  "GET /events": () => ["/events"]
}

execFileSync(process.execPath, [join(import.meta.dirname, "../scripts/bundle.ts")], { stdio: "ignore" })
await compareWithPeer(
  (folder, fixtures) => Servers.startService(folder, fixtures, "--no-worker"),
  async (compare) => {
    for (const [title, pathsOf] of Object.entries(reads)) {
      await compare(title, 1, (_, topicIds) => ({ kind: "paths", paths: pathsOf(topicIds) }))
    }
  }
)
