/** Tests that `topic show` reports which step of a topic fails: the mail, the draft, or the delivery to the partner. */
import { describe, expect, it } from "vitest"
import * as Loopback from "../../test/support/Loopback.ts"
import * as Outbox from "../../test/support/Outbox.ts"
import * as OwnDatabase from "../../test/support/OwnDatabase.ts"
import * as Partner from "../../test/support/Partner.ts"
import * as Process from "../../test/support/Process.ts"

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/**
 * Starts a server that is both a draft generator and a webhook receiver. The generator answers with errors until the
 * test calls `mendGenerator`. The receiver always answers with errors.
 */
const startFailingServer = async (test: Process.TestCleanup) => {
  let isMended = false
  const host = await Loopback.listenOnLoopback(test, (request, response) => {
    const isGood = isMended && request.url !== "/events?token=hunter2"
    const content = "A commentary about the derby, as the creator sees it. ".repeat(3)
    request.resume().on("end", () => {
      response.writeHead(isGood ? 200 : 503, { "content-type": "application/json" })
      response.end(
        JSON.stringify(
          isGood
            ? { choices: [{ finish_reason: "stop", message: { role: "assistant", content } }] }
            : { error: { code: "overloaded", message: "Not now, with your midfield." } }
        )
      )
    })
  })
  return {
    host,
    generator: `http://${host}/v1`,
    receiver: `http://${host}/events?token=hunter2`,
    mendGenerator: () => {
      isMended = true
    }
  }
}

const linkIn = async (cwd: string) => {
  const [mail] = await Process.pollUntil(
    () => Outbox.readOutbox(cwd),
    (texts) => texts.length > 0
  )
  return /http:\/\/[^\s"]+\/creator\/[\w.-]+/.exec(mail!.replaceAll("=\r\n", ""))![0]
}

const posted = (link: string, action: string, body: unknown) =>
  fetch(`${link}/${action}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body)
  })

describe("the `topic show` command", () => {
  const story = async (test: Process.TestCleanup, database: Process.EnvironmentVariables) => {
    const cwd = await Process.makeWorkingFolder(test)
    const outside = await startFailingServer(test)
    const env = {
      ...database,
      ...{ GENERATOR_URL: outside.generator, GENERATOR_MODEL: "any" },
      ...{ WEBHOOK_ALLOW_PRIVATE: "true", WORKER_POLL_INTERVAL: "50 millis" }
    }
    const show = (id: string) => Process.runJsonCommand(cwd, ["topic", "show", id], env)
    const { key, organization, persona } = await Partner.registerPartner(cwd, env)

    const mute = await Process.startService(cwd, ["serve"], { ...env, SMTP_URL: "smtp://127.0.0.1:9" })
    const url = outside.receiver
    expect((await Partner.callApi(mute.apiRoot, key, "/webhooks", { url, events: ["commentary.failed"] })).status).toBe(
      201
    )
    const submitted = await Partner.callApi(mute.apiRoot, key, "/topics", {
      content: "Who wins the derby?\nAnd why is that?",
      persona_ids: [persona.id]
    })
    const topicId: string = submitted.body.data.topic_id
    const shareId: string = submitted.body.data.results[0].share_id
    const waiting = await Process.pollUntil(
      () => show(topicId),
      ({ assignments }) => assignments[0].mails[0].last_reason !== null
    )
    await mute.stop()
    expect(waiting).toMatchObject({
      topic_id: topicId,
      organization_id: organization.id,
      organization_name: "Acme Sports",
      environment: "live",
      status: "pending",
      content: "Who wins the derby?"
    })
    expect(waiting.assignments).toMatchObject([
      {
        share_id: shareId,
        creator_email: "ada@creators.test",
        status: "topic_sent",
        notified_at: null,
        respond_by: moment,
        mails: [
          {
            kind: "request",
            state: "waiting",
            attempts: 1,
            due_at: moment,
            last_reason: expect.stringMatching(/ECONNREFUSED|refused/)
          }
        ],
        events: []
      }
    ])

    const server = await Process.startService(cwd, ["serve"], env)
    await Process.runJsonCommand(cwd, ["mail", "resend", shareId], env)
    const link = await linkIn(cwd)
    await posted(link, "respond", { perspective: "The home side, because of its midfield." })
    const undrafted = await Process.pollUntil(
      () => show(shareId),
      ({ assignments: [one] }) =>
        one.drafts.last_reason !== null &&
        // An attempt ends when the worker releases its lease, shortly after the failure is recorded.
        !one.drafts.under_way &&
        one.mails.some(({ state }: { state: string }) => state === "sent")
    )
    expect(undrafted.assignments).toMatchObject([
      {
        status: "opinion_injected",
        notified_at: moment,
        drafts: {
          number: 0,
          attempts: 1,
          under_way: false,
          next_attempt_at: moment,
          give_up_at: null,
          last_failed_at: moment
        },
        mails: expect.arrayContaining([
          expect.objectContaining({ state: "sent", settled_at: moment, last_reason: null })
        ])
      }
    ])
    expect(undrafted.assignments[0].drafts.last_reason).toBe("the server answered 503 (overloaded) …")

    // The request waits for its draft, so no mail is due: the draft's mail will follow.
    const resent = await Process.runJsonCommand(cwd, ["mail", "resend", "--open"], env)
    expect(resent).toEqual({ resent: 0, skipped: 1, next: null })

    outside.mendGenerator()
    await Process.runJsonCommand(cwd, ["retry", shareId], env)
    const drafted = await Process.pollUntil(
      () => show(topicId),
      ({ assignments }) => assignments[0].status === "commentary_generated"
    )
    expect(drafted.assignments).toMatchObject([{ drafts: { number: 1, next_attempt_at: null }, approve_by: moment }])

    expect((await posted(link, "withdraw", { reason: "I am away." })).status).toBe(200)
    const untold = await Process.pollUntil(
      () => show(topicId),
      ({ assignments }) => assignments[0].events[0]?.deliveries[0]?.attempts === 1
    )
    expect(untold).toMatchObject({ status: "completed" })
    expect(untold.assignments).toMatchObject([
      {
        failure_reason: "withdrawn",
        failed_at: moment,
        next_step_at: null,
        events: [
          {
            id: expect.stringMatching(/^evt_/),
            type: "commentary.failed",
            created_at: moment,
            deliveries: [
              {
                host: outside.host,
                status: "pending",
                attempts: 1,
                next_attempt_at: moment,
                last_reason: "The receiver answered with status 503, which is not a success."
              }
            ]
          },
          { type: "topic.completed", deliveries: [] }
        ]
      }
    ])
    for (const { id } of untold.assignments[0].events) {
      expect(await show(id)).toMatchObject({ topic_id: topicId, assignments: [{ share_id: shareId }] })
    }
    const { stdout } = await Process.runCommand(cwd, ["topic", "show", topicId], env)
    for (const part of [
      `The topic ${topicId} is completed.`,
      `Acme Sports ${organization.id}`,
      `${shareId} Ada Marsh: commentary_generated since `,
      "withdrawn 2",
      "mail request ",
      "event commentary.failed ",
      `to ${outside.host} `,
      "pending, 1 attempt, the next one at ",
      "503 (overloaded)"
    ]) {
      expect(stdout).toContain(part)
    }
    for (const words of ["why is that", "midfield", "away", "hunter2", "/creator/"]) expect(stdout).not.toContain(words)
    await server.stop()
    return { cwd, env }
  }

  it("`topic show` finds a topic by its id, a share_id or an event's id, and prints the state, mails, attempts and deliveries of each assignment, and no creator's text", async (test) => {
    const { cwd, env } = await story(test, {})
    const unknown = "01900000-0000-7000-8000-000000000000"
    const none = await Process.runCommand(cwd, ["topic", "show", unknown], env)
    expect(none).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `There is no topic, share_id or event ${unknown}.\n`
    })
    expect(await Process.runCommand(cwd, ["topic", "show", `evt_${unknown}`], env)).toMatchObject({ code: 1 })
    expect(await Process.runCommand(cwd, ["topic", "show", "derby"], env)).toMatchObject({ code: 2, stdout: "" })
  })

  it("`topic show` prints the same output on Postgres as on SQLite", async (test) => {
    await story(test, await OwnDatabase.makeEmptyDatabase(test))
  })
})
