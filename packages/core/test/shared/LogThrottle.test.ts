import { expect, it } from "@effect/vitest"
import * as LogThrottle from "@partner-commentary/core/shared/LogThrottle"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"

interface Line {
  readonly message: unknown
  readonly cause: string | undefined
  readonly annotations: Record<string, unknown>
}

const recorded = () => {
  const lines: Array<Line> = []
  const logger = Logger.map(Logger.formatStructured, ({ annotations, cause, message }) => {
    lines.push({ annotations, cause, message })
  })
  return { lines, layer: LogThrottle.layer.pipe(Layer.provideMerge(Logger.layer([logger]))) }
}

const refused = () => new Error("the statement failed", { cause: new Error("connect ECONNREFUSED 10.0.0.1:5432") })

const failing = (id: number, error: unknown = refused()) =>
  Effect.annotateLogs(Effect.logError("A request failed", Cause.die(error)), { request_id: `r${id}` })

it.effect("a repeated failure is logged once with the cause, and then once a second with a count", () => {
  const { layer, lines } = recorded()
  return Effect.gen(function* () {
    for (let id = 0; id < 100; id++) yield* failing(id)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({ annotations: { request_id: "r0" } })
    expect(lines[0]?.cause).toContain("ECONNREFUSED")
    yield* TestClock.adjust("1 second")
    for (let id = 100; id < 120; id++) yield* failing(id)
    yield* TestClock.adjust("1 second")
    expect(lines.slice(1)).toEqual([
      { message: "A request failed", cause: undefined, annotations: { request_id: "r99", reason, count: 99 } },
      { message: "A request failed", cause: undefined, annotations: { request_id: "r119", reason, count: 20 } }
    ])
  }).pipe(Effect.provide(layer))
})

const reason = "the statement failed: connect ECONNREFUSED 10.0.0.1:5432"

it.effect("after a second without failures, the next failure is logged with the cause again", () => {
  const { layer, lines } = recorded()
  return Effect.gen(function* () {
    yield* failing(1)
    yield* TestClock.adjust("1 second")
    yield* failing(2)
    expect(lines.map(({ annotations, cause }) => [annotations["request_id"], cause !== undefined])).toEqual([
      ["r1", true],
      ["r2", true]
    ])
  }).pipe(Effect.provide(layer))
})

it.effect(
  "log lines with different causes are throttled separately, and lines that differ only in ports or ids are throttled together",
  () => {
    const { layer, lines } = recorded()
    return Effect.gen(function* () {
      yield* failing(1, new Error("connect ECONNREFUSED 10.0.0.1:5432"))
      yield* failing(2, new Error("connect ECONNREFUSED 10.0.0.2:6432"))
      yield* failing(3, new TypeError("persona is undefined"))
      expect(lines.map(({ annotations }) => annotations["request_id"])).toEqual(["r1", "r3"])
    }).pipe(Effect.provide(layer))
  }
)

it.effect("a logged stack contains at most four frames of each error and no frames of dependencies", () => {
  const { layer, lines } = recorded()
  const deep = (left: number): Error => (left === 0 ? refused() : deep(left - 1))
  return Effect.gen(function* () {
    yield* failing(1, deep(30))
    const cause = lines[0]?.cause ?? ""
    expect(cause).toContain("LogThrottle.test.ts")
    expect(cause).toContain("caused by Error: connect ECONNREFUSED")
    expect(cause).not.toMatch(/node:|node_modules/)
    expect(cause.split("\n").length).toBeLessThanOrEqual(6)
    expect(cause.length).toBeLessThan(1000)
  }).pipe(Effect.provide(layer))
})

it.effect("log lines without a cause are throttled only if they are marked as repeating", () => {
  const { layer, lines } = recorded()
  return Effect.gen(function* () {
    const waits = Effect.annotateLogs(Effect.logWarning("A mail must wait"), { reason: "421 busy" })
    yield* Effect.repeat(Effect.logWarning("A webhook was disabled"), { times: 2 })
    yield* Effect.repeat(LogThrottle.markLogsAsRepeating(waits), { times: 9 })
    expect(lines.map(({ message }) => message)).toEqual([
      ...Array.from({ length: 3 }, () => "A webhook was disabled"),
      "A mail must wait"
    ])
    yield* TestClock.adjust("1 second")
    expect(lines[4]?.annotations).toMatchObject({ count: 9 })
  }).pipe(Effect.provide(layer))
})

it.effect("the counts of throttled log lines are logged at shutdown", () => {
  const { layer, lines } = recorded()
  return Effect.gen(function* () {
    yield* Effect.provide(Effect.andThen(failing(1), failing(2)), layer)
    expect(lines.map(({ annotations }) => annotations["count"])).toEqual([undefined, 1])
  })
})

it.effect("the log throttle remembers a limited number of distinct messages", () => {
  const { layer, lines } = recorded()
  const letters = (n: number) => [...String(n)].map((digit) => "ghijklmnop"[Number(digit)]).join("")
  return Effect.gen(function* () {
    for (let id = 0; id < 1000; id++) yield* failing(id, new Error(letters(id)))
    expect(lines.length).toBeLessThanOrEqual(201)
  }).pipe(Effect.provide(layer))
})
