/** Tests what the operator sees of a draft if the process is killed during the draft's last attempt. */
import { expect, it } from "vitest"
import * as Loopback from "../../test/support/Loopback.ts"
import * as Outbox from "../../test/support/Outbox.ts"
import * as Partner from "../../test/support/Partner.ts"
import * as Process from "../../test/support/Process.ts"

it("if a kill ends the last attempt at a draft, the log, `topic show` and drafts_total show the failure", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  let calls = 0
  const host = await Loopback.listenOnLoopback(test, () => {
    calls++
  })
  const env = {
    GENERATOR_URL: `http://${host}/v1`,
    GENERATOR_MODEL: "any",
    GENERATION_RETRY_SCHEDULE: "1 second",
    WORKER_LEASE: "3 seconds",
    WORKER_POLL_INTERVAL: "50 millis",
    ADMIN_PORT: "0",
    LOG_FORMAT: "json"
  }
  const { key, persona } = await Partner.registerPartner(cwd, env)
  let server = await Process.startServiceProcess(cwd, ["serve"], env)
  const { body } = await Partner.callApi(server.apiRoot, key, "/topics", {
    content: "Who wins the derby?",
    persona_ids: [persona.id]
  })
  const shareId: string = body.data.results[0].share_id
  const [mail] = await Process.pollUntil(
    () => Outbox.readOutbox(cwd),
    (texts) => texts.length > 0
  )
  const [link] = /http:\/\/[^\s"]+\/creator\/[\w.-]+/.exec(mail!.replaceAll("=\r\n", ""))!
  await fetch(`${link}/respond`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ perspective: "The home side, because of its midfield." })
  })
  for (const attempt of [1, 2]) {
    await Process.pollUntil(
      async () => calls,
      (count) => count === attempt
    )
    await server.stop("SIGKILL")
    server = await Process.startServiceProcess(cwd, ["serve"], env)
  }

  const reason = "the last attempt had no result: its process ended or hung"
  const lines = await Process.pollUntil(
    async () => server.stderr().split("\n"),
    (texts) => texts.some((text) => text.includes("Every attempt at a draft failed"))
  )
  const [line] = lines.filter((text) => text.includes("Every attempt at a draft failed"))
  expect(JSON.parse(line!)).toMatchObject({ level: "ERROR", annotations: { share_id: shareId, reason } })
  const shown = await Process.runJsonCommand(cwd, ["topic", "show", shareId], env)
  expect(shown.assignments).toMatchObject([
    { drafts: { attempts: 2, under_way: false, next_attempt_at: null, last_reason: reason } }
  ])
  const [address] = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(server.stderr())!
  expect(await (await fetch(address)).text()).toMatch(/^partner_commentary_drafts_total\{outcome="failure"\} 1$/m)
  expect(calls).toBe(2)
})
