/**
 * Runs the external parties of a story in a separate process: a partner that submits topics, creators that respond and
 * approve, an SMTP server and two webhook receivers. The parent process sends commands over IPC and gets one result for
 * each command.
 */
import { Agent, createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { SMTPServer } from "smtp-server"

export interface ServiceTarget {
  /** The processes of the service. The partners send requests to the service's processes in turn. */
  readonly ports: ReadonlyArray<number>
  readonly key: string
  readonly personaIds: ReadonlyArray<string>
}

/**
 * `submit`, `respond` and `approve` take the step of that name for all stories, and wait until the service has
 * processed the step.
 */
export type PartnerCommand = ServiceTarget &
  (
    | { readonly do: "submit"; readonly stories: number }
    | { readonly do: "respond" | "approve" }
    | {
        readonly do: "play"
        /** The load: a number of concurrent stories, or a fixed number of topics a second. */
        readonly pace: { readonly inFlight: number } | { readonly perSecond: number }
        readonly warmUp: number
        readonly seconds: number
      }
  )

export interface MeasuredTimes {
  readonly p50: number
  readonly p99: number
}

/** The results of the measured period. Times are in milliseconds. */
export interface PartnerCommandOutcome {
  readonly seconds: number
  /** The number of topics that completed the whole workflow. */
  readonly stories: number
  readonly mails: number
  readonly events: number
  readonly post: MeasuredTimes
  readonly submissionToMail: MeasuredTimes
  readonly approvalToEvent: MeasuredTimes
  /** The number of topics in progress, at the start and at the end of the measured period. */
  readonly backlog: readonly [number, number]
}

interface Assignment {
  readonly story: Story
  token: string
  draftToken: string
  approvedAt: number
  events: number
}
interface Story {
  readonly submittedAt: number
  open: number
}

const webhooks = 2
const assignments = new Map<string, Assignment>()
/** Keeps an assignment's mails and events until the submission's response with the assignment's id arrives. */
const early = new Map<string, Array<(assignment: Assignment) => void>>()
let target: ServiceTarget
/** False in a staged run, in which creators act only on a command. */
let automatic = false
let submitted = 0
let ended = 0
let requests = 0
let drafts = 0
let events = 0
let repeats = 0
let number = 0
let failure: Error | undefined
let samples = { post: [] as Array<number>, mail: [] as Array<number>, event: [] as Array<number> }
let onEnd = () => {}

const about = (shareId: string, act: (assignment: Assignment) => void) => {
  const found = assignments.get(shareId)
  if (found !== undefined) return act(found)
  const waiting = early.get(shareId)
  if (waiting === undefined) early.set(shareId, [act])
  else waiting.push(act)
}

const agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: 1000 })
let turn = 0

const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  new Promise<string>((resolve, reject) => {
    const bytes = Buffer.from(JSON.stringify(body))
    const port = target.ports[turn++ % target.ports.length]!
    const call = request(
      {
        ...{ agent, port, path, host: "127.0.0.1", method: "POST" },
        headers: { "content-type": "application/json", "content-length": bytes.length, ...headers }
      },
      (response) => {
        text(response).then((answer) => {
          if ((response.statusCode ?? 500) < 300) resolve(answer)
          else reject(new Error(`${path.replace(/[\w-]+\.[\w.-]+/, "…")}: ${response.statusCode} ${answer}`))
        }, reject)
      }
    )
    call.on("error", reject)
    call.end(bytes)
  })

const recordFailure = (error: unknown) => {
  failure ??= error instanceof Error ? error : new Error(String(error))
}

const submit = async () => {
  const submittedAt = performance.now()
  const story: Story = { submittedAt, open: target.personaIds.length }
  submitted++
  const content = `Which team improves the most over the rest of season ${process.pid}-${number++}, and why?`
  const body = { content, persona_ids: target.personaIds, metadata: { note: "x".repeat(200) } }
  const { data } = JSON.parse(await post("/partner/v1/topics", body, { "x-api-key": target.key }))
  samples.post.push(performance.now() - submittedAt)
  for (const { share_id } of data.results as ReadonlyArray<{ share_id: string }>) {
    const assignment: Assignment = { story, token: "", draftToken: "", approvedAt: 0, events: 0 }
    assignments.set(share_id, assignment)
    const waiting = early.get(share_id)
    if (waiting === undefined) continue
    early.delete(share_id)
    for (const act of waiting) act(assignment)
  }
}

const perspective =
  "The youngest team improves the most. They have played together for two years, and their trainer stays. I would watch the defence."
const respond = ({ token }: Assignment) => post(`/creator/${token}/respond`, { perspective })
const approve = (assignment: Assignment) => {
  assignment.approvedAt = performance.now()
  return post(`/creator/${assignment.draftToken}/approve`, {})
}

const handleMail = (shareId: string, occasion: string, token: string) =>
  about(shareId, (assignment) => {
    if (occasion === "request") {
      if (assignment.token !== "") return void repeats++
      requests++
      assignment.token = token
      samples.mail.push(performance.now() - assignment.story.submittedAt)
      if (automatic) respond(assignment).catch(recordFailure)
    } else {
      if (assignment.draftToken !== "") return void repeats++
      drafts++
      assignment.draftToken = token
      if (automatic) approve(assignment).catch(recordFailure)
    }
  })

const smtp = new SMTPServer({
  ...{ authOptional: true, hideSTARTTLS: true, disableReverseLookup: true, disabledCommands: ["AUTH"] },
  onData: (stream, _session, done) => {
    text(stream).then((raw) => {
      done()
      const [, shareId = "", occasion = ""] = /^message-id: <([0-9a-f-]{36})\.([\w-]+)@/im.exec(raw) ?? []
      const token = /\/creator\/([\w-]+\.[\w-]+)/.exec(raw.replace(/=\r\n/g, ""))?.[1] ?? ""
      handleMail(shareId, occasion, token)
    }, done)
  }
})
smtp.on("error", recordFailure)

const receivers = createServer((call, answer) => {
  text(call).then((body) => {
    answer.writeHead(204).end()
    const at = performance.now()
    about(JSON.parse(body).data.share_id, (assignment) => {
      events++
      assignment.events++
      samples.event.push(at - assignment.approvedAt)
      if (assignment.events !== webhooks) return
      assignment.story.open--
      if (assignment.story.open > 0) return
      ended++
      onEnd()
    })
  }, recordFailure)
})

const until = async (what: string, holds: () => boolean) => {
  for (const end = Date.now() + 180_000; Date.now() < end; await sleep(5)) {
    if (failure !== undefined) throw failure
    if (holds()) return
  }
  throw new Error(`${what}: not within three minutes`)
}

const all = async <A>(items: Iterable<A>, atOnce: number, act: (item: A) => Promise<unknown>) => {
  const left = items[Symbol.iterator]()
  const one = async () => {
    for (let item = left.next(); !item.done; item = left.next()) await act(item.value)
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

const times = (values: ReadonlyArray<number>): MeasuredTimes => {
  const sorted = Float64Array.from(values).sort()
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}

const play = async ({
  pace,
  seconds,
  warmUp
}: PartnerCommand & { readonly do: "play" }): Promise<PartnerCommandOutcome> => {
  automatic = true
  const begun = performance.now()
  let stopped = false
  if ("inFlight" in pace) {
    onEnd = () => {
      if (!stopped) submit().catch(recordFailure)
    }
    for (let story = 0; story < pace.inFlight; story++) submit().catch(recordFailure)
  } else {
    const keepPace = async () => {
      for (let sent = 0; !stopped; await sleep(2)) {
        const due = Math.floor(((performance.now() - begun) * pace.perSecond) / 1000) + 1
        for (; sent < due; sent++) submit().catch(recordFailure)
      }
    }
    keepPace().catch(recordFailure)
  }
  await sleep(warmUp * 1000)
  samples = { post: [], mail: [], event: [] }
  const from = performance.now()
  const before = { ended, mails: requests + drafts, events, backlog: submitted - ended }
  await sleep(seconds * 1000)
  const took = (performance.now() - from) / 1000
  const { event, mail, post } = samples
  const outcome: PartnerCommandOutcome = {
    seconds: took,
    stories: ended - before.ended,
    mails: requests + drafts - before.mails,
    events: events - before.events,
    post: times(post),
    submissionToMail: times(mail),
    approvalToEvent: times(event),
    backlog: [before.backlog, submitted - ended]
  }
  stopped = true
  onEnd = () => {}
  await until("the end of all stories", () => ended === submitted)
  return outcome
}

const carryOut = async (order: PartnerCommand): Promise<PartnerCommandOutcome | null> => {
  target = order
  if (order.do === "play") return play(order)
  automatic = false
  if (order.do === "submit") {
    assignments.clear()
    submitted = ended = requests = drafts = events = 0
    await all(Array.from({ length: order.stories }), 16, submit)
    await until("request mails", () => requests === assignments.size)
  } else if (order.do === "respond") {
    await all(assignments.values(), 16, respond)
    await until("draft mails", () => drafts === assignments.size)
  } else {
    await all(assignments.values(), 16, approve)
    await until("events", () => events === webhooks * assignments.size)
  }
  return null
}

process.on("message", (order: PartnerCommand) => {
  failure = undefined
  repeats = 0
  carryOut(order).then(
    (outcome) => {
      const failed = repeats > 0 ? `${repeats} mails came more than once` : undefined
      process.send?.({ outcome, failure: failed })
    },
    (error: unknown) => process.send?.({ failure: String(error) })
  )
})

smtp.listen(0, "127.0.0.1", () =>
  receivers.listen(0, "127.0.0.1", () => {
    const smtpPort = (smtp.server.address() as AddressInfo).port
    process.send?.({ smtp: smtpPort, receivers: (receivers.address() as AddressInfo).port })
  })
)
