/** What operators watch, in Effect's own registry: requests, mails and drafts as they happen, the rest when somebody looks. */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Environment } from "@partner-commentary/core/access/ApiKey"
import { MediaKind } from "@partner-commentary/core/commentary/MediaSynthesizer"
import { ProductionStore } from "@partner-commentary/core/commentary/ProductionStore"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import * as Probe from "@partner-commentary/server/Probe"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as DeliveryMetrics from "./DeliveryMetrics.ts"

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const outside = {
  mails: outsideMetrics("mails", "Mails handed over, by outcome"),
  drafts: outsideMetrics("drafts", "Attempts at a draft, by outcome"),
  media: outsideMetrics("media", "Attempts to make audio of an approved text, by outcome"),
  webhooks: outsideMetrics("webhook_requests", "Requests to webhooks' receivers, tests too: success is any answer")
}

function outsideMetrics(name: string, description: string) {
  return {
    total: Metric.counter(`partner_commentary_${name}_total`, { description, incremental: true }),
    duration: Metric.histogram(`partner_commentary_${name}_duration_seconds`, { description, boundaries: seconds })
  }
}

/** Counts and times what the process asks of others. */
export const counted = <A, E, R>(what: keyof typeof outside, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const begun = performance.now()
    return yield* Effect.onExit(effect, (exit) => {
      const { duration, total } = outside[what]
      const outcome = Exit.isSuccess(exit) ? "success" : "failure"
      return Effect.andThen(
        Metric.update(Metric.withAttributes(total, { outcome }), 1),
        Metric.update(duration, (performance.now() - begun) / 1000)
      )
    })
  })

const requests = Metric.counter("partner_commentary_http_requests_total", {
  description: "Requests answered, by area, method and status",
  incremental: true
})
const requestDuration = Metric.histogram("partner_commentary_http_request_duration_seconds", {
  description: "From the request to its answer, by area",
  boundaries: seconds
})

/** Around the whole HTTP application; for processes that somebody watches only. */
export const watched = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.gen(function* () {
    const { method, url } = yield* HttpServerRequest.HttpServerRequest
    const begun = performance.now()
    const area = areas.find((name) => url.startsWith(`/${name}`)) ?? "other"
    return yield* Effect.tap(app, ({ status }) =>
      Effect.andThen(
        Metric.update(Metric.withAttributes(requests, { area, method, status: String(status) }), 1),
        Metric.update(Metric.withAttributes(requestDuration, { area }), (performance.now() - begun) / 1000)
      )
    )
  })

/** Few and fixed, so that no caller can make up new ones. */
const areas = ["partner/v1/topics", "partner/v1/personas", "partner", "creator", "media", "healthz", "readyz", "dev"]

const gauge = (name: string, description: string) => Metric.gauge(name, { description })

/** Of this process. */
const own = {
  memory: gauge("process_resident_memory_bytes", "Resident memory"),
  heap: gauge("nodejs_heap_size_used_bytes", "JavaScript heap in use"),
  processor: gauge("process_cpu_seconds", "Processor time used so far"),
  uptime: gauge("process_uptime_seconds", "Since the process started"),
  eventLoop: gauge("nodejs_eventloop_lag_p99_seconds", "99th percentile of event loop delay since the last look"),
  database: gauge(
    "partner_commentary_database_up",
    "1: the database answered this look within a second; 0: what is read from it is left out"
  )
}

/** Of the database, which may not answer. */
const read = {
  stalled: gauge("partner_commentary_generations_stalled", "Generations that gave up and wait for a new start"),
  failedMails: gauge("partner_commentary_mails_failed", "Mails that were given up, 1000 at most"),
  failedMedia: gauge("partner_commentary_media_failed", "Audio and video that were given up, 1000 at most"),
  overdue: gauge("partner_commentary_work_overdue_seconds", "How long the oldest due work has been waiting"),
  overdueMails: gauge("partner_commentary_mails_overdue_seconds", "How long the oldest due mail has been waiting"),
  overdueMedia: gauge(
    "partner_commentary_media_overdue_seconds",
    "How long the oldest due audio or video has been waiting"
  )
}

/** So long may all that is read from the database take. */
const patience = "1 second"

const ofDatabase = Effect.gen(function* () {
  const assignments = yield* AssignmentStore
  const mails = yield* MailStore
  const productions = yield* ProductionStore
  const ofDeliveries = yield* DeliveryMetrics.look
  const overdueBy = (due: Option.Option<Instant.Instant>, now: Instant.Instant) =>
    Option.match(due, { onNone: () => 0, onSome: (at) => Math.max(0, now - at) / 1000 })
  return Effect.gen(function* () {
    const now = yield* Instant.now
    return [
      [read.stalled, (yield* assignments.stalled).length],
      [read.failedMails, (yield* mails.failed(1000)).length],
      [read.failedMedia, (yield* productions.failed(1000)).length],
      [read.overdue, overdueBy(yield* assignments.nextDue(Environment.literals), now)],
      [read.overdueMails, overdueBy(yield* mails.nextDue, now)],
      [read.overdueMedia, overdueBy(yield* productions.nextDue(MediaKind.literals), now)],
      ...(yield* ofDeliveries)
    ] as const
  })
})

/** Brings up to date what is not counted as it happens. Where the database does not answer, its part is left out: no figure is better than an old one. */
export const look = Effect.gen(function* () {
  const figures = yield* ofDatabase
  const resolution = 20
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  yield* Effect.addFinalizer(() => Effect.sync(() => delay.disable()))
  const silent = yield* Ref.make(false)

  const unanswered = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
    yield* Effect.forEach([...Object.values(read), ...DeliveryMetrics.looked], (gauge) => Metric.remove(gauge))
    yield* Metric.update(own.database, 0)
    if (yield* Ref.getAndSet(silent, true)) return
    yield* Effect.logWarning("The database does not answer: /metrics goes without what is read from it", cause)
  })

  return Effect.gen(function* () {
    const { heapUsed, rss } = process.memoryUsage()
    const { system, user } = process.cpuUsage()
    yield* Metric.update(own.memory, rss)
    yield* Metric.update(own.heap, heapUsed)
    yield* Metric.update(own.processor, (system + user) / 1e6)
    yield* Metric.update(own.uptime, process.uptime())
    yield* Metric.update(own.eventLoop, Math.max(0, delay.percentile(99) / 1e6 - resolution) / 1000)
    delay.reset()
    yield* Effect.matchCauseEffect(Probe.within(patience, figures), {
      onFailure: unanswered,
      onSuccess: Effect.fnUntraced(function* (known) {
        for (const [gauge, value] of known) yield* Metric.update(gauge, value)
        yield* Metric.update(own.database, 1)
        yield* Ref.set(silent, false)
      })
    })
  })
})
