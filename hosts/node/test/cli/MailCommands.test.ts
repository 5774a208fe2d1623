/** Tests of `mail list`, `mail resend --all` and `mail resend --open`, which run in separate processes. */
import { expect, it } from "vitest"
import * as Outbox from "../support/Outbox.ts"
import * as Partner from "../support/Partner.ts"
import * as Process from "../support/Process.ts"

const away = { SMTP_URL: "smtp://127.0.0.1:9", MAIL_FROM: "desk@example.com" }

it("`mail list` shows each waiting mail with address and reason; `mail resend --all` requires --since and accepts no share id", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  const server = await Process.startService(cwd, ["serve"], away)
  const { key, persona } = Partner.readDemoCredentials(server)
  const shareId = await Partner.submitTopic(server.apiRoot, key, persona.id)
  const listed = await Process.pollUntil(
    () => Process.runJsonCommand(cwd, ["mail", "list"]),
    ({ mails: [one] }) => one?.last_reason !== null
  )
  expect(listed).toMatchObject({
    mails: [
      { id: `${shareId}.request`, kind: "request", share_id: shareId, state: "waiting", attempts: 1, settled_at: null }
    ],
    next: null
  })
  expect(listed.mails[0].to).toContain("@")
  expect(await Process.runJsonCommand(cwd, ["mail", "list", "--failed"])).toEqual({ mails: [], next: null })
  const since = "2026-01-01T00:00:00Z"
  expect(await Process.runJsonCommand(cwd, ["mail", "resend", "--all", "--since", since])).toEqual({
    since: "2026-01-01T00:00:00.000Z",
    resent: 0
  })
  const finer = ["--since", "2026-01-01T00:00:00.000001Z"]
  expect(await Process.runJsonCommand(cwd, ["mail", "resend", "--all", ...finer])).toMatchObject({
    since: "2026-01-01T00:00:00.001Z"
  })
  for (const wrong of [["--all"], [shareId, "--since", since], [shareId, "--all", "--since", since]]) {
    expect(await Process.runCommand(cwd, ["mail", "resend", ...wrong]), wrong.join(" ")).toMatchObject({ code: 2 })
  }
  expect(await Process.runCommand(cwd, ["mail", "list", "--after", "yesterday"])).toMatchObject({ code: 2 })
})

/** Returns the status of each link in the outbox's mails. Several mails may contain the same link. */
const openLinks = async (cwd: string) => {
  const texts = await Outbox.readOutbox(cwd)
  const links = texts.flatMap(
    (text) => /http:\/\/[^\s"]+\/creator\/[\w.-]+/.exec(text.replaceAll("=\r\n", "").replaceAll("=3D", "="))?.[0] ?? []
  )
  return { count: texts.length, links: [...new Set(links)] }
}

it("after the signing secret is replaced, `mail resend --open` sends a working link for each open request, in pages of --limit", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  const former = await Process.startService(cwd, ["serve"], {
    SIGNING_SECRET: "a-leaked-secret-of-more-than-32-characters"
  })
  const { key, persona } = Partner.readDemoCredentials(former)
  const shareIds = []
  for (let count = 0; count < 3; count++) shareIds.push(await Partner.submitTopic(former.apiRoot, key, persona.id))
  const before = await Process.pollUntil(
    () => openLinks(cwd),
    ({ count }) => count === 3
  )
  await former.stop()

  const env = { SIGNING_SECRET: "another-secret-of-more-than-32-characters!" }
  const server = await Process.startService(cwd, ["serve"], env)
  const resend = (...args: ReadonlyArray<string>) =>
    Process.runJsonCommand(cwd, ["mail", "resend", "--open", ...args], env)
  const [first, second, third] = shareIds.toSorted()
  expect(await resend("--limit", "2")).toEqual({ resent: 2, skipped: 0, next: second })
  expect(await resend("--limit", "2", "--after", second!)).toEqual({ resent: 1, skipped: 0, next: null })
  expect([first, third]).not.toContain(second)
  const after = await Process.pollUntil(
    () => openLinks(cwd),
    ({ count }) => count === 6
  )
  const path = (link: string) => `${server.apiRoot}${new URL(link).pathname}`
  const statuses = (links: ReadonlyArray<string>) =>
    Promise.all(links.map(async (link) => (await fetch(path(link))).status))
  expect(await statuses(before.links)).toEqual([404, 404, 404])
  expect(await statuses(after.links.filter((link) => !before.links.includes(link)))).toEqual([200, 200, 200])

  for (const wrong of [
    [shareIds[0]!, "--open"],
    ["--open", "--all"],
    ["--all", "--since", "2026-01-01T00:00:00Z", "--limit", "5"],
    [shareIds[0]!, "--after", shareIds[1]!],
    ["--open", "--limit", "0"]
  ]) {
    expect(await Process.runCommand(cwd, ["mail", "resend", ...wrong], env), wrong.join(" ")).toMatchObject({ code: 2 })
  }
})
