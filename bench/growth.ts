/**
 * Measures what growth costs on Postgres: the median time of every read and of POST /topics. The benchmark compares a
 * year of many topics in one organization with a year of few topics.
 *
 * The command is `node bench/growth.ts [--topics 1000000] [--few 10000] [--rounds 300] [--only TEXT] [--plans]`.
 *
 * For the meaning of the printed rows, see bench/README.md. `BENCH_DATABASE_URL` selects a server. On this server the
 * benchmark creates the databases `few` and `many`, or reuses them if they exist. `--plans` writes the plans of the
 * measured statements to bench/plans.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { Agent, request as httpRequest } from "node:http"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import * as PostgresServer from "../hosts/test/src/postgres/PostgresServer.ts"
import * as Database from "./Database.ts"
import * as Fixtures from "./Fixtures.ts"
import { explainQueryPlans } from "./growth/Plans.ts"
import { makeTimedRequests, type TimedRequest } from "./growth/Requests.ts"
import { seedDeliveries, seedTopics } from "./growth/Seed.ts"
import * as Servers from "./Servers.ts"

const option = (name: string, usual: number): number => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? usual : Number(process.argv[at + 1])
}
const sizes = { few: option("few", 10_000), many: option("topics", 1_000_000) }
/** The benchmark runs only the rows whose names contain this text. */
const only = process.argv.includes("--only") ? String(process.argv[process.argv.indexOf("--only") + 1]) : ""
const rounds = option("rounds", 300)

const print = (line = "") => process.stdout.write(`${line}\n`)
const folder = mkdtempSync(join(tmpdir(), "partner-commentary-growth-"))

interface Side {
  readonly port: number
  readonly key: string
  readonly asks: ReadonlyArray<TimedRequest>
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Measures the time until the last byte of the response, in milliseconds. */
const call = (
  port: number,
  key: string,
  { body, path }: ReturnType<TimedRequest["request"]>
): Promise<{ time: number; text: string }> =>
  new Promise((resolve, reject) => {
    const begin = performance.now()
    const asked = httpRequest(
      {
        agent,
        port,
        host: "127.0.0.1",
        path: `/partner/v1${path}`,
        method: body === undefined ? "GET" : "POST",
        headers: {
          "x-api-key": key,
          ...(body === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
        }
      },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString()
          if ((response.statusCode ?? 500) >= 300)
            reject(new Error(`${path} was answered ${response.statusCode}: ${text}`))
          else resolve({ time: performance.now() - begin, text })
        })
      }
    )
    asked.on("error", reject)
    asked.end(body)
  })

const partnerOn = async (
  database: Database.DatabasePool,
  variables: NodeJS.ProcessEnv
): Promise<Fixtures.BenchmarkPartner> => {
  const organizationId = (await database.query("SELECT id FROM organizations")).rows[0].id
  return { organizationId, key: await Fixtures.createApiKey(folder, variables, organizationId) }
}

const addWebhook = async (database: Database.DatabasePool, port: number, key: string): Promise<string> => {
  const webhook = { url: "https://receiver.example/hook", events: ["creator.approved", "commentary.failed"] }
  const { text } = await call(port, key, { path: "/webhooks", body: JSON.stringify(webhook) })
  const { id } = JSON.parse(text).data
  await seedDeliveries(database, id)
  return id
}

const prepare = async (cluster: { readonly url: string }, name: keyof typeof sizes): Promise<Side> => {
  print(`${name}: ${sizes[name].toLocaleString("en")} topics`)
  const url = Database.makeDatabaseUrl(cluster.url, name)
  const variables = { DATABASE_URL: url }
  const server = Database.openPool(cluster.url)
  const isNew = (await server.query("SELECT 1 FROM pg_database WHERE datname = $1", [name])).rows.length === 0
  if (isNew) await server.query(`CREATE DATABASE ${name}`)
  await server.end()
  const database = Database.openPool(url)
  const partner = isNew ? await Fixtures.createPartner(folder, variables) : await partnerOn(database, variables)
  if (isNew) await seedTopics(database, url, partner.organizationId, sizes[name], print)
  const { port } = await Servers.startServiceProcess(folder, variables, "--no-worker")
  const webhookId = isNew
    ? await addWebhook(database, port, partner.key)
    : (await database.query("SELECT id FROM webhooks")).rows[0].id
  const { rows } = await database.query(
    "SELECT relname, pg_size_pretty(pg_total_relation_size(oid)) AS size FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY pg_total_relation_size(oid) DESC LIMIT 8"
  )
  print(`  with indexes: ${rows.map(({ relname, size }) => `${relname} ${size}`).join(", ")}`)
  const asks = await makeTimedRequests(database, webhookId)
  await database.end()
  return { port, key: partner.key, asks }
}

const percentile = (times: ReadonlyArray<number>, part: number) =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length * part)] ?? Number.NaN

/** Sends each request to both databases in turn, so that other load on the machine affects both results equally. */
const compare = async (few: Side, many: Side) => {
  print(`median (p90) in ms of ${rounds} requests, one at a time, in turn; load ${loadavg()[0]?.toFixed(1)}`)
  print("| request | few | many | ratio of medians |\n|---|---|---|---|")
  for (const [index, { name }] of few.asks.entries()) {
    if (!name.includes(only)) continue
    const times = { few: [] as Array<number>, many: [] as Array<number> }
    for (let n = -10; n < rounds; n++) {
      for (const [side, { asks, key, port }] of [
        ["few", few],
        ["many", many]
      ] as const) {
        const { time } = await call(port, key, asks[index]!.request(n + 10))
        if (n >= 0) times[side].push(time)
      }
    }
    const told = (side: "few" | "many") =>
      `${percentile(times[side], 0.5).toFixed(2)} (${percentile(times[side], 0.9).toFixed(2)})`
    const ratio = percentile(times.many, 0.5) / percentile(times.few, 0.5)
    print(`| ${name} | ${told("few")} | ${told("many")} | ${ratio.toFixed(2)}${ratio > 1.3 ? " !" : ""} |`)
  }
  print(`load ${loadavg()[0]?.toFixed(1)}`)
}

const main = async () => {
  const given = process.env["BENCH_DATABASE_URL"]
  const cluster =
    given === undefined ? await PostgresServer.startPostgresServer({ settings: Database.postgresServerSettings }) : null
  const server = { url: given ?? cluster?.url ?? "" }
  try {
    const few = await prepare(server, "few")
    const many = await prepare(server, "many")
    await compare(few, many)
    if (process.argv.includes("--plans")) {
      for (const name of ["few", "many"] as const) {
        const text = await explainQueryPlans(Database.makeDatabaseUrl(server.url, name))
        writeFileSync(
          join(import.meta.dirname, "plans", `${name}.txt`),
          `${sizes[name].toLocaleString("en")} topics\n\n${text}`
        )
      }
    }
  } finally {
    Servers.killAllServers()
    await cluster?.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

await main()
process.exit(0)
