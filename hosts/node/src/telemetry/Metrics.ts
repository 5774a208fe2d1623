/**
 * Updates the metrics in Effect's registry, which `/metrics` and OTLP read. Requests, mails, drafts, media and webhook
 * requests are counted when they happen. `makeGaugeRefresh` updates the gauges of the process and of the database.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpEffect from "effect/http/HttpEffect"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Metric from "effect/Metric"
import * as Semaphore from "effect/Semaphore"
import * as ProcessMetrics from "./ProcessMetrics.ts"
import * as WorkMetrics from "./WorkMetrics.ts"

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const calls = {
  mails: callMetrics("mails", "Mails handed over, by outcome"),
  drafts: callMetrics("drafts", "Attempts at a draft, by outcome"),
  media: callMetrics("media", "Attempts to make audio of an approved text, by outcome"),
  webhooks: callMetrics("webhook_requests", "Requests to webhooks' receivers, tests too: success is any answer")
}

function callMetrics(name: string, description: string) {
  return {
    total: Metric.counter(`partner_commentary_${name}_total`, { description, incremental: true }),
    duration: Metric.histogram(`partner_commentary_${name}_duration_seconds`, { description, boundaries: seconds })
  }
}

/** Counts an attempt without a result as a failed call. The process that made the call could not count the call. */
export const countLostCall = (what: keyof typeof calls) =>
  Metric.update(Metric.withAttributes(calls[what].total, { outcome: "failure" }), 1)

/** Counts a call to another system and measures the duration of the call. */
export const measureCall = <A, E, R>(what: keyof typeof calls, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const begun = performance.now()
    return yield* Effect.onExit(effect, (exit) => {
      const { duration, total } = calls[what]
      const outcome = Exit.isSuccess(exit) ? "success" : "failure"
      return Effect.andThen(
        Metric.update(Metric.withAttributes(total, { outcome }), 1),
        Metric.update(duration, (performance.now() - begun) / 1000)
      )
    })
  })

const requests = Metric.counter("partner_commentary_http_requests_total", {
  description: "Responses, by area, method and status",
  incremental: true
})
const requestDuration = Metric.histogram("partner_commentary_http_request_duration_seconds", {
  description: "From the request to its response, by area",
  boundaries: seconds
})

/**
 * The middleware that counts all HTTP requests, if metrics are enabled. A response is counted before its body is sent,
 * because an event stream can stay open for hours.
 */
export const requestMetricsMiddleware = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.suspend(() => {
    const begun = performance.now()
    return HttpEffect.withPreResponseHandler(app, ({ method, url }, response) => {
      const area = areas.find((name) => url.startsWith(`/${name}`)) ?? "other"
      const count = Metric.withAttributes(requests, { area, method, status: String(response.status) })
      const duration = Metric.withAttributes(requestDuration, { area })
      const updates = Effect.andThen(
        Metric.update(count, 1),
        Metric.update(duration, (performance.now() - begun) / 1000)
      )
      return Effect.as(updates, response)
    })
  })

/**
 * The values of the metric label `area`. The list of label values is fixed, so that callers cannot create new values.
 */
const areas = ["partner/v1/topics", "partner/v1/personas", "partner", "creator", "media", "healthz", "readyz", "dev"]

/** Gauges are cached for this many milliseconds, so that many scrapers cause no more queries than one scraper. */
const fresh = 1000

/** Makes the effect that updates all gauges. Concurrent callers share one update of the gauges. */
export const makeGaugeRefresh = Effect.gen(function* () {
  const refreshProcess = yield* ProcessMetrics.makeProcessGaugeRefresh
  const refreshWork = yield* WorkMetrics.makeWorkGaugeRefresh
  const turn = yield* Semaphore.make(1)
  let refreshed = Number.NEGATIVE_INFINITY
  return turn.withPermit(
    Effect.suspend(() => {
      if (performance.now() - refreshed < fresh) return Effect.void
      const done = Effect.sync(() => {
        refreshed = performance.now()
      })
      return Effect.andThen(Effect.andThen(refreshProcess, refreshWork), done)
    })
  )
})
