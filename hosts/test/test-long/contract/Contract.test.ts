/**
 * The contract fuzzer. It knows the served openapi.json and some credentials, nothing else: for every operation it sends
 * thousands of requests, right and wrong ones, and each answer must be one that the description allows.
 * `CONTRACT_RUNS` says how many requests each operation gets.
 */
import { assert, it } from "@effect/vitest"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { credentials, layer } from "./Callers.ts"
import { type Document, type Operation, operationsOf } from "./Description.ts"
import * as Judge from "./Judge.ts"
import { type Harvest, harvest, requests, type Sent } from "./Requests.ts"

const runs = Number(process.env["CONTRACT_RUNS"] ?? 2000)

interface Tally {
  /** How often each status was answered. */
  readonly statuses: Map<number, number>
}

it.live("every answer to every request is one that the description allows, and never a 5xx", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const document: Document = yield* Effect.flatMap(call("/openapi.json"), (response) =>
      Effect.promise(() => response.json() as Promise<Document>)
    )
    const judge = Judge.make(document)
    const operations = operationsOf(document)
    const seen: Harvest = new Map()
    const callers = yield* credentials
    const tallies = new Map(operations.map(({ name }): [string, Tally] => [name, { statuses: new Map() }]))

    const send = async (sent: Sent) => {
      const { url, value: _, ...init } = sent
      const response = await Effect.runPromise(call(url, init as RequestInit))
      return { status: response.status, headers: response.headers, text: await response.text() }
    }

    const check = async (operation: Operation, sent: Sent) => {
      const answer = await send(sent)
      const problems = [...judge.judge(operation, answer)]
      const statuses = tallies.get(operation.name)?.statuses ?? new Map<number, number>()
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (answer.status < 300) {
        harvest(seen, JSON.parse(answer.text))
        if (
          operation.body !== undefined &&
          sent.value !== undefined &&
          !judge.allows(operation.body.schema, sent.value)
        ) {
          problems.push("a body that the description does not allow was accepted")
        }
      }
      assert.deepStrictEqual(problems, [], `${JSON.stringify(sent)}\n→ ${answer.status} ${answer.text.slice(0, 600)}`)
    }

    // In turns, so that what one operation made is there for the others to ask for.
    const rounds = 10
    for (let round = 0; round < rounds; round++) {
      for (const operation of operations) {
        const property = fc.asyncProperty(requests(document, operation, seen, callers), (sent) =>
          check(operation, sent)
        )
        yield* Effect.promise(() => fc.assert(property, { numRuns: Math.ceil(runs / rounds), endOnFailure: true }))
      }
    }

    const summary = [...tallies].map(([name, { statuses }]) => {
      const counts = [...statuses]
        .toSorted(([one], [other]) => one - other)
        .map(([status, count]) => `${status}: ${count}`)
      return `${name.padEnd(28)} ${counts.join("  ")}`
    })
    yield* Effect.sync(() => process.stdout.write(`${summary.join("\n")}\n`))
    for (const [name, { statuses }] of tallies) {
      const successes = [...statuses].reduce((sum, [status, count]) => sum + (status < 300 ? count : 0), 0)
      assert.isAbove(successes, 0, `${name} never succeeded: the fuzzer does not reach it`)
    }
  }).pipe(Effect.provide(layer))
)
