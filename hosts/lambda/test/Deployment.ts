/**
 * Sets up a deployment on this machine: the released bundle, a SQLite or Postgres database, a mail server, and an
 * organization.
 */
import { execFile, spawn } from "node:child_process"
import { cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { findFreePort } from "@partner-commentary/test/postgres/FreePort"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import PostalMime, { type Email } from "postal-mime"
import { SMTPServer } from "smtp-server"

const root = join(import.meta.dirname, "../../..")
const commandLine = join(root, "hosts/node/bin/partner-commentary.js")
const run = promisify(execFile)

interface Test {
  readonly onTestFinished: (cleanUp: () => Promise<void>) => void
}

const temporary = () => mkdtemp(join(tmpdir(), "lambda-"))

/** Bundles the current sources into a temporary folder. */
export const makeBundle = async () => {
  const folder = await temporary()
  await run(process.execPath, [join(root, "scripts/bundle.ts"), folder])
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

export const startMailServer = async (test: Test) => {
  const received: Array<Email> = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData: (stream, _session, done) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        void PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
          received.push(mail)
          done()
        }, done)
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  test.onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  const address = server.server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { url: `smtp://127.0.0.1:${port}`, received }
}

export const makeTemporaryFolder = async (test: Test) => {
  const path = await temporary()
  test.onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

export type EnvironmentVariables = Readonly<Record<string, string>>

export const makeLambdaEnvironment = (databaseUrl: string, smtpUrl = "smtp://127.0.0.1:1"): EnvironmentVariables => ({
  DATABASE_URL: databaseUrl,
  PUBLIC_URL: "https://commentary.example",
  SMTP_URL: smtpUrl,
  SIGNING_SECRET: "a secret of the tests, and long enough"
})

export const makeSqliteUrl = (folder: string) => `sqlite:${join(folder, "partner-commentary.db")}`

const commandIn =
  (cwd: string, databaseUrl: string) =>
  async (...args: ReadonlyArray<string>) => {
    const env = { PATH: process.env["PATH"], DEV: "false", ...makeLambdaEnvironment(databaseUrl) }
    const { stdout } = await run(process.execPath, [commandLine, ...args, "--json"], { cwd, env })
    return JSON.parse(stdout)
  }

/** Creates the SQLite database in the folder. The Lambda function refuses to start if the SQLite file is missing. */
export const migrateDatabase = (folder: string): Promise<unknown> => commandIn(folder, makeSqliteUrl(folder))("migrate")

/** Creates an organization, a persona and a key with an operator's commands. */
const register = async (databaseUrl: string) => {
  const cwd = await temporary()
  const command = commandIn(cwd, databaseUrl)
  await command("migrate")
  const organization = await command("org", "create", "--name", "Courtside")
  const persona = await command("persona", "create", "--name", "Ada Vance", "--creator-email", "ada@creators.test")
  await command("license", "grant", "--org", organization.id, "--persona", persona.id)
  const scopes = "topics:submit,topics:read,personas:read,usage:read"
  const key = await command("key", "create", "--org", organization.id, "--name", "k", "--scopes", scopes)
  await rm(cwd, { recursive: true, force: true })
  return { persona: { id: persona.id as string }, key: key.full_key as string }
}

/** A registered partner in a database. Each test gets a copy of the seeded database. */
export interface SeededDatabase {
  readonly copy: (test: Test) => Promise<{ readonly url: string } & Awaited<ReturnType<typeof register>>>
  readonly remove: () => Promise<void>
}

export const seedSqliteDatabase = async (): Promise<SeededDatabase> => {
  const seeded = await temporary()
  const partner = await register(makeSqliteUrl(seeded))
  return {
    copy: async (test) => {
      const own = await makeTemporaryFolder(test)
      await cp(seeded, own, { recursive: true })
      return { ...partner, url: makeSqliteUrl(own) }
    },
    remove: () => rm(seeded, { recursive: true, force: true })
  }
}

export const runSqlOnServer = (url: string, statement: string) =>
  Effect.runPromise(TestDatabase.runOnDatabase(Redacted.make(url), (sql) => sql.unsafe(statement)))

/** Creates a Postgres database with a partner. The copies of the database are dropped when the test run ends. */
export const seedPostgresDatabase = async (): Promise<SeededDatabase> => {
  const scope = Effect.runSync(Scope.make())
  const seeded = new URL(Redacted.value(await Effect.runPromise(Scope.provide(TestDatabase.empty, scope))))
  const partner = await register(seeded.href)
  const template = seeded.pathname.slice(1)
  let copies = 0
  return {
    copy: async () => {
      const own = new URL(seeded)
      own.pathname = `/${template}_${++copies}`
      const server = new URL(seeded)
      server.pathname = "/postgres"
      await runSqlOnServer(server.href, `CREATE DATABASE ${own.pathname.slice(1)} TEMPLATE ${template}`)
      return { ...partner, url: own.href }
    },
    remove: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** Starts the Node host without workers on the same database. Returns the URL of the Node host. */
export const startNodeHost = async (env: EnvironmentVariables, cwd: string, test: Test): Promise<string> => {
  const port = await findFreePort()
  const child = spawn(process.execPath, [commandLine, "serve", "--no-worker"], {
    cwd,
    env: { PATH: process.env["PATH"], DEV: "false", PROCESSES: "1", PORT: String(port), ...env }
  })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  test.onTestFinished(() => {
    child.kill("SIGKILL")
    return ended
  })
  await new Promise<void>((resolve, reject) => {
    child.once("exit", () => reject(new Error("the server ended before it was ready")))
    child.stdout.once("data", () => resolve())
  })
  return `http://127.0.0.1:${port}`
}
