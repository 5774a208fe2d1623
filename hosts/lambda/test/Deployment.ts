/** A deployment on this machine: the bundle as it is shipped, a database file, a mail server, and what an operator sets up. */
import { execFile, spawn } from "node:child_process"
import { cp, mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import PostalMime, { type Email } from "postal-mime"
import { SMTPServer } from "smtp-server"

const root = join(import.meta.dirname, "../../..")
const commandLine = join(root, "hosts/node/bin/partner-commentary.js")
const run = promisify(execFile)

interface Test {
  readonly onTestFinished: (cleanUp: () => Promise<void>) => void
}

const temporary = () => mkdtemp(join(tmpdir(), "lambda-"))

/** Of the present sources, in a folder of its own. */
export const makeBundle = async () => {
  const folder = await temporary()
  await run(process.execPath, [join(root, "scripts/bundle.ts"), folder])
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

export const postOffice = async (test: Test) => {
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

export const folder = async (test: Test) => {
  const path = await temporary()
  test.onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

export const environment = (folder: string, smtpUrl = "smtp://127.0.0.1:1"): Readonly<Record<string, string>> => ({
  DATABASE_URL: `sqlite:${join(folder, "partner-commentary.db")}`,
  PUBLIC_URL: "https://commentary.example",
  SMTP_URL: smtpUrl,
  SIGNING_SECRET: "a secret of the tests, and long enough"
})

/** An organization with a persona and a key, made by an operator's commands, in as many databases as there are tests. */
export const seed = async () => {
  const folder = await temporary()
  const command = async (...args: ReadonlyArray<string>) => {
    const env = { PATH: process.env["PATH"], DEV: "false", ...environment(folder) }
    const { stdout } = await run(process.execPath, [commandLine, ...args, "--json"], { cwd: folder, env })
    return JSON.parse(stdout)
  }
  const organization = await command("org", "create", "--name", "Courtside")
  const persona = await command("persona", "create", "--name", "Ada Vance", "--creator-email", "ada@creators.test")
  await command("license", "grant", "--org", organization.id, "--persona", persona.id)
  const scopes = "topics:submit,topics:read,personas:read,usage:read"
  const key = await command("key", "create", "--org", organization.id, "--name", "k", "--scopes", scopes)
  return {
    copyTo: async (other: string) => {
      await cp(folder, other, { recursive: true })
      return { persona: { id: persona.id as string }, key: key.full_key as string }
    },
    remove: () => rm(folder, { recursive: true, force: true })
  }
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })

/** The Node host beside it, without workers; answers with where it listens. */
export const serve = async (env: Readonly<Record<string, string>>, cwd: string, test: Test): Promise<string> => {
  const port = await freePort()
  const child = spawn(process.execPath, [commandLine, "serve", "--no-worker"], {
    cwd,
    env: { PATH: process.env["PATH"], DEV: "false", PORT: String(port), ...env }
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
