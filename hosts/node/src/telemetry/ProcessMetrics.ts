/**
 * Defines gauges for the memory, processor time and event loop of this process, with the names of the Prometheus client
 * libraries.
 */
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

const gauge = (name: string, description: string) => Metric.gauge(name, { description })

const makeEventLoopDelayGauge = (name: string, what: string) =>
  gauge(`nodejs_eventloop_lag_${name}_seconds`, `${what} event loop delay since the last reading`)

const metrics = {
  memory: gauge("process_resident_memory_bytes", "Resident memory"),
  started: gauge("process_start_time_seconds", "When the process started, in seconds since 1970"),
  uptime: gauge("process_uptime_seconds", "Since the process started"),
  processor: Metric.counter("process_cpu_seconds_total", {
    description: "Processor time used, user and system",
    incremental: true
  }),
  heapUsed: gauge("nodejs_heap_size_used_bytes", "JavaScript heap in use"),
  heapTotal: gauge("nodejs_heap_size_total_bytes", "JavaScript heap taken from the machine"),
  heapLimit: gauge("nodejs_heap_size_limit_bytes", "JavaScript heap at which the process ends"),
  external: gauge("nodejs_external_memory_bytes", "Memory of buffers, outside of the JavaScript heap"),
  lagMean: makeEventLoopDelayGauge("mean", "Mean"),
  lagP50: makeEventLoopDelayGauge("p50", "Median"),
  lagP99: makeEventLoopDelayGauge("p99", "99th percentile of"),
  lagMax: makeEventLoopDelayGauge("max", "Longest"),
  utilization: gauge("nodejs_eventloop_utilization_ratio", "Part of the time that the event loop was busy, from 0 to 1")
}

const resolution = 20

/**
 * Makes the effect that updates the process metrics. The event loop's gauges cover the time since the previous update.
 */
export const makeProcessGaugeRefresh = Effect.gen(function* () {
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  yield* Effect.addFinalizer(() => Effect.sync(() => delay.disable()))
  const inSeconds = (nanos: number) => (Number.isNaN(nanos) ? 0 : Math.max(0, nanos / 1e6 - resolution) / 1000)
  const started = Date.now() / 1000 - process.uptime()
  let spent = 0
  let loop = performance.eventLoopUtilization()

  return Effect.suspend(() => {
    const { external, heapTotal, heapUsed, rss } = process.memoryUsage()
    const { system, user } = process.cpuUsage()
    const processor = (system + user) / 1e6
    const present = performance.eventLoopUtilization()
    const updates = [
      Metric.update(metrics.memory, rss),
      Metric.update(metrics.started, started),
      Metric.update(metrics.uptime, process.uptime()),
      Metric.update(metrics.processor, processor - spent),
      Metric.update(metrics.heapUsed, heapUsed),
      Metric.update(metrics.heapTotal, heapTotal),
      Metric.update(metrics.heapLimit, getHeapStatistics().heap_size_limit),
      Metric.update(metrics.external, external),
      Metric.update(metrics.lagMean, inSeconds(delay.mean)),
      Metric.update(metrics.lagP50, inSeconds(delay.percentile(50))),
      Metric.update(metrics.lagP99, inSeconds(delay.percentile(99))),
      Metric.update(metrics.lagMax, inSeconds(delay.max)),
      Metric.update(metrics.utilization, performance.eventLoopUtilization(present, loop).utilization)
    ]
    spent = processor
    loop = present
    delay.reset()
    return Effect.all(updates, { discard: true })
  })
})
