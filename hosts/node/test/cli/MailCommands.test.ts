/** Tests of `mail list` and `mail resend --all`, which run in separate processes. */
import { expect, it } from "vitest"
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
