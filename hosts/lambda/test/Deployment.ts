/** A deployment on this machine: the bundle as it is shipped, a database file, a mail server, and what an operator sets up. */
import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
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

/** What an operator does from anywhere that reaches the database. */
export const operator = (env: Readonly<Record<string, string>>, cwd: string) => {
  // biome-ignore lint/suspicious/noExplicitAny: what it holds is what the tests look at
  return async (...args: ReadonlyArray<string>): Promise<any> => {
    const { stdout } = await run(process.execPath, [commandLine, ...args, "--json"], {
      cwd,
      env: { PATH: process.env["PATH"], DEV: "false", ...env }
    })
    return JSON.parse(stdout)
  }
}

/** An organization with a persona and a key. */
export const partner = async (command: ReturnType<typeof operator>) => {
  const organization = await command("org", "create", "--name", "Courtside")
  const persona = await command("persona", "create", "--name", "Ada Vance", "--creator-email", "ada@creators.test")
  await command("license", "grant", "--org", organization.id, "--persona", persona.id)
  const scopes = "topics:submit,topics:read,personas:read,usage:read"
  const key = await command("key", "create", "--org", organization.id, "--name", "k", "--scopes", scopes)
  return { organization, persona, key: key.full_key as string }
}
