/** Plays a partner and a creator against an application in another process, from the key to the approved commentary. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { type PartnerCommentary, partnerCommentary } from "partner-commentary"
import { sqlite } from "partner-commentary/sqlite"
import PostalMime from "postal-mime"
import { createFirstPartner } from "../first-partner.ts"

interface Test {
  readonly onTestFinished: (cleanUp: () => Promise<void>) => void
}

const secret = "a secret of the tests, and long enough"

export const findFreePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

export interface StartedExample {
  readonly folder: string
  /** The URL of the service in the application. */
  readonly url: string
  readonly secret: string
  readonly output: () => string
}

/** Starts the application's command in the folder, and waits until the service answers. */
export const startExample = async (
  test: Test,
  folder: string,
  [command, ...parameters]: readonly [string, ...ReadonlyArray<string>],
  options: SpawnOptions = {}
): Promise<StartedExample> => {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}/commentary`
  const env = { ...process.env, ...options.env, PORT: `${port}`, COMMENTARY_URL: url, COMMENTARY_SECRET: secret }
  const application = spawn(command, parameters, { cwd: folder, ...options, env, detached: true })
  let output = ""
  for (const stream of [application.stdout, application.stderr]) stream?.on("data", (text) => (output += text))
  test.onTestFinished(() => ended(application))
  for (let isUp = false; !isUp; await pause(50)) {
    if (application.exitCode !== null) throw new Error(`the application ended with ${application.exitCode}: ${output}`)
    isUp = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(20_000) })
      .then(({ ok }) => ok)
      .catch(() => false)
  }
  return { folder, url, secret, output: () => output }
}

/** Some commands start child processes, so the test ends the whole process group. */
const ended = async (application: ChildProcess): Promise<void> => {
  const exit = once(application, "exit")
  if (application.exitCode !== null || application.pid === undefined) return
  process.kill(-application.pid)
  await exit
}

const post = async (link: string, body: object, key = "") => {
  const headers = { "x-api-key": key, "content-type": "application/json", accept: "application/json" }
  const response = await fetch(link, { method: "POST", headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${link} answers ${response.status}: ${await response.text()}`)
}

/**
 * Submits a form of the creator's page as a browser does. A browser hides the origin, because the page sends no
 * referrer.
 */
const submitForm = async (link: string, fields: Readonly<Record<string, string>>) => {
  const headers = { origin: "null", accept: "text/html" }
  const response = await fetch(link, { method: "POST", headers, body: new URLSearchParams(fields) })
  if (!response.ok) throw new Error(`${link} answers ${response.status}: ${await response.text()}`)
}

/** Opens the creator's link from the mail in the outbox, answers, and approves the draft. */
export const approveCommentary = async ({ folder }: Pick<StartedExample, "folder">): Promise<void> => {
  const outbox = join(folder, "commentary-outbox")
  const link = async (subject: RegExp): Promise<string> => {
    const mails = readdirSync(outbox).filter((name) => name.endsWith(".eml"))
    const read = await Promise.all(mails.map((name) => PostalMime.parse(readFileSync(join(outbox, name)))))
    const found = read.find((mail) => subject.test(mail.subject ?? ""))?.text?.match(/http:\S+\/creator\/\S+/)?.[0]
    return found ?? pause(20).then(() => link(subject))
  }
  await submitForm(`${await link(/asks/)}/respond`, { perspective: "The home side." })
  await submitForm(`${await link(/draft/)}/approve`, {})
}

/** Opens a second instance on the application's database file, as a command beside the server would. */
export const openBeside = (test: Test, { folder, url }: StartedExample): PartnerCommentary => {
  const beside = partnerCommentary({ url, secret, database: sqlite(join(folder, "commentary.db")), workers: false })
  test.onTestFinished(beside.stop)
  return beside
}

/** Submits a topic over HTTP, and resolves with the text of the published commentary. */
export const publishCommentary = async (test: Test, started: StartedExample): Promise<string> => {
  const { folder, url } = started
  const beside = openBeside(test, started)
  const { key, organization_id, persona_id } = await createFirstPartner(beside)
  const topic = { content: "Who wins the derby on Sunday?", persona_ids: [persona_id], external_reference: "derby-1" }
  await post(`${url}/partner/v1/topics`, topic, key)
  await approveCommentary({ folder })
  const { commentaries } = await beside.topics.byReference({ organization_id, external_reference: "derby-1" })
  return commentaries[0]?.commentary?.content ?? ""
}
