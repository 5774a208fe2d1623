/**
 * Compares the product on Postgres with a hand-written peer on `pg` (`postgres/peer.ts`), each on its own database on
 * one server. Then the benchmark measures how many requests 1, 2 and 4 processes of the product answer on one database.
 * With `--quick`, the benchmark runs fewer and shorter rounds.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { availableParallelism, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import * as PostgresServer from "../hosts/test/src/postgres/PostgresServer.ts"
import {
  compareServers,
  connectionCount,
  hourLongLoadRound,
  printLine,
  runLoadRound,
  startLoadGenerator,
  unlimitedLoadRound
} from "./Compare.ts"
import * as Database from "./Database.ts"
import * as Fixtures from "./Fixtures.ts"
import type { LoadRound } from "./load.ts"
import * as Servers from "./Servers.ts"

const quick = process.argv.includes("--quick")
const plan = quick ? { rounds: 4, seconds: 1.5, warmUp: 1.5 } : { rounds: 8, seconds: 2.5, warmUp: 3 }
const folder = mkdtempSync(join(tmpdir(), "partner-commentary-bench-"))
const given = process.env["BENCH_DATABASE_URL"]

const load = () => `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`

/** Creates a database with the product's schema, a partner and three personas. */
const prepare = async (url: string, name: string): Promise<Servers.ServerFixtures & { readonly url: string }> => {
  const server = Database.openPool(url)
  await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  await server.query(`CREATE DATABASE ${name}`)
  await server.end()
  const own = Database.makeDatabaseUrl(url, name)
  const { key, organizationId } = await Fixtures.createPartner(folder, { DATABASE_URL: own })
  const database = Database.openPool(own)
  const { rows } = await database.query(
    `INSERT INTO personas SELECT lpad(p::text, 8, '0') || '-0000-4000-8000-000000000000', 'Persona ' || p, 'https://images.example/p.png', '', '[]',
      '{}', 'Creator', p || '@creators.example', p || '@creators.example', '2026-01-01T00:00:00.000Z' FROM generate_series(1, 3) p RETURNING id`
  )
  await database.query("INSERT INTO licenses SELECT $1, id, created_at FROM personas", [organizationId])
  await database.end()
  return { url: own, key, personaIds: rows.map(({ id }) => id as string) }
}

const posts = (personaIds: ReadonlyArray<string>): LoadRound["send"] => ({ kind: "post", personaIds })

/**
 * Measures 1, 2 and 4 processes of the product on one database. The usual number of connections is spread over the
 * processes, and each process has its own load generator.
 */
const scaleOut = async ({ key, personaIds, url }: Servers.ServerFixtures & { readonly url: string }) => {
  printLine(
    "| processes | POST /topics /s | processor µs | GET status /s | processor µs | load |\n|---|---|---|---|---|---|"
  )
  for (const count of [1, 2, 4]) {
    const servers = await Promise.all(
      Array.from({ length: count }, () => Servers.startServiceProcess(folder, { DATABASE_URL: url }, "--no-worker"))
    )
    const generators = servers.map(() => startLoadGenerator())
    const all = async (send: LoadRound["send"], until: Partial<LoadRound>) => {
      const before = servers.map(Servers.readProcessorSeconds)
      const outcomes = await Promise.all(
        servers.map(({ port }, index) =>
          runLoadRound(
            generators[index]!,
            { port, key },
            { ...hourLongLoadRound, ...unlimitedLoadRound, connections: connectionCount / count, send, ...until }
          )
        )
      )
      const spent = servers.reduce(
        (sum, server, index) => sum + Servers.readProcessorSeconds(server) - (before[index] ?? 0),
        0
      )
      const requests = outcomes.reduce((sum, outcome) => sum + outcome.requests, 0)
      const perSecond = outcomes.reduce((sum, outcome) => sum + outcome.perSecond, 0)
      return { text: `${perSecond.toFixed(0)} | ${((spent / requests) * 1e6).toFixed(0)}` }
    }
    const wanted = { ...hourLongLoadRound, requests: 500, collect: 500, send: posts(personaIds) }
    const { topicIds } = await runLoadRound(generators[0]!, { port: servers[0]!.port, key }, wanted)
    // Every process warms up with the same number of requests, not for the same time.
    const warm = { requests: quick ? 1000 : 3000 }
    const seconds = { seconds: quick ? 3 : 6 }
    await all(posts(personaIds), warm)
    const written = await all(posts(personaIds), seconds)
    await all({ kind: "get", topicIds }, { requests: warm.requests * 3 })
    const read = await all({ kind: "get", topicIds }, seconds)
    printLine(`| ${count} | ${written.text} | ${read.text} | ${loadavg()[0]?.toFixed(1)} |`)
    for (const server of servers) await Servers.stopServer(server)
    for (const generator of generators) generator.kill()
  }
}

const main = async () => {
  const cluster =
    given === undefined ? await PostgresServer.startPostgresServer({ settings: Database.postgresServerSettings }) : null
  const url = given ?? cluster?.url ?? ""
  const generator = startLoadGenerator()
  try {
    printLine(`node ${process.versions.node}, ${load()}; commits are on the disk before they are answered`)
    const [theirs, own] = [await prepare(url, "peers"), await prepare(url, "ours")]
    const line = (text: string) => (text.startsWith("{") ? (JSON.parse(text).apiRoot as string) : undefined)
    const peer = {
      ...(await Servers.startProcess(
        [join(import.meta.dirname, "postgres/peer.ts"), theirs.url, theirs.key],
        { cwd: folder, env: process.env },
        line
      )),
      ...theirs
    }
    const ours = { ...(await Servers.startServiceProcess(folder, { DATABASE_URL: own.url }, "--no-worker")), ...own }
    await compareServers(generator, plan, "POST /topics, 3 personas", 1, peer, ours, (server) =>
      posts(server.personaIds)
    )
    const collected = new Map<Servers.BenchmarkServer, ReadonlyArray<string>>()
    for (const server of [peer, ours]) {
      const wanted = { ...hourLongLoadRound, requests: 1000, collect: 1000, send: posts(server.personaIds) }
      collected.set(server, (await runLoadRound(generator, server, wanted)).topicIds)
    }
    // Until Postgres has analyzed the tables, the peer's status query uses an index on all rows of the organization.
    // Autovacuum would analyze the tables only after a minute.
    for (const { url } of [theirs, own]) {
      const database = Database.openPool(url)
      await database.query("ANALYZE")
      await database.end()
    }
    const reads = (server: Servers.BenchmarkServer): LoadRound["send"] => ({
      kind: "get",
      topicIds: collected.get(server) ?? []
    })
    await compareServers(generator, plan, "GET /topics/{id}/status", 0.8, peer, ours, reads)
    await Servers.stopServer(ours)
    await Servers.stopServer(peer)
    printLine(load())
    await scaleOut(own)
  } finally {
    generator.kill()
    Servers.killAllServers()
    await cluster?.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

await main()
process.exit(0)
