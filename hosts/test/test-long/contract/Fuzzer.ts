/**
 * Sends requests to all operations in turns, so that later requests can use resources of earlier requests. Checks each
 * response against the OpenAPI document. Deletes created resources with the document's DELETE operations, because
 * limits on the number of resources would stop the run.
 */
import * as fc from "fast-check"
import type { FuzzedCaller, FuzzedCallersBySecurityScheme } from "./Callers.ts"
import { listOperations, type OpenApiDocument } from "./Description.ts"
import * as RawHttp from "./RawHttp.ts"
import { arbitraryRequests, type GeneratedRequest } from "./Requests.ts"
import * as ResponseValidator from "./ResponseValidator.ts"
import * as ResponseValues from "./ResponseValues.ts"
import * as Verdict from "./Verdict.ts"

export interface FuzzerOptions {
  readonly root: string
  readonly document: OpenApiDocument
  readonly callers: FuzzedCallersBySecurityScheme
  /** The number of requests per operation. */
  readonly runs: number
  readonly rounds: number
  readonly seed: number
}

export interface FuzzerReport {
  /** At most one fault for each operation, with the smallest request that reproduces the fault as a curl command. */
  readonly faults: ReadonlyArray<string>
  /** How often each operation returned each combination of status and code. */
  readonly tallies: ReadonlyMap<string, ReadonlyMap<string, number>>
}

export const runFuzzer = async ({
  callers,
  document,
  root,
  rounds,
  runs,
  seed
}: FuzzerOptions): Promise<FuzzerReport> => {
  const operations = listOperations(document)
  const judge = ResponseValidator.makeResponseValidator(document)
  const memory = ResponseValues.makeResponseValueStore()
  const wire = RawHttp.makeRawHttpClient(root)
  const made = new Map<string, Array<string>>()
  const tallies = new Map(operations.map(({ name }) => [name, new Map<string, number>()]))
  const faults = new Map<string, string>()

  const exchange = async (sent: GeneratedRequest, plain: RawHttp.RawRequest): Promise<RawHttp.RawResponse> => {
    const answer = await wire.send(plain)
    const code =
      (ResponseValidator.parseJson(answer.text) as { error?: { code?: string } } | undefined)?.error?.code ?? ""
    const tally = tallies.get(sent.operation.name)
    const label = `${answer.status} ${code}`.trim()
    tally?.set(label, (tally.get(label) ?? 0) + 1)
    return answer
  }

  const check = async (sent: GeneratedRequest) => {
    const { arguments: given, caller, operation, origin } = sent
    const plain = RawHttp.toRawRequest(sent)
    const answer = await exchange(sent, plain)
    const problems = [...judge.judge(operation, answer), ...Verdict.findContractViolations(judge, sent, answer)]
    const name = given.find(({ parameter }) => parameter.name === "X-Request-Id")
    if (name !== undefined && judge.wrong(name.parameter.schema, name.text) === undefined) {
      if (answer.headers.get("x-request-id") !== name.text) problems.push("the request's own id did not come back")
    }
    if (operation.method === "GET" && origin % 5 === 0)
      problems.push(...(await headProblems(wire, plain, answer, caller)))
    const keyed = given.some(({ parameter }) => parameter.name === "Idempotency-Key")
    if (answer.status < 300) {
      if (operation.method !== "DELETE") memory.record(operation, caller, ResponseValidator.parseJson(answer.text))
      // Forget only three of four deleted resources, so that the fuzzer also requests deleted resources.
      else if (origin % 4 !== 0)
        for (const { parameter, text } of given) if (parameter.in === "path") memory.removeValue(text)
      if (keyed && origin % 3 === 0) problems.push(...(await replayProblems(wire, plain, answer)))
      problems.push(...(await tidy(answer, caller)))
    }
    if (problems.length > 0) throw new Fault(problems, wire.curl(plain), answer)
  }

  /**
   * Deletes the caller's oldest resource of a kind if the caller has more than `keptOfEach` of this kind. Does nothing
   * if the OpenAPI document has no DELETE operation for the kind.
   */
  const tidy = async ({ headers }: RawHttp.RawResponse, caller: FuzzedCaller): Promise<ReadonlyArray<string>> => {
    const location = headers.get("location") ?? ""
    const removal = operations.find(({ method, path }) => method === "DELETE" && matches(path, location))
    if (removal === undefined) return []
    const key = `${removal.name} ${JSON.stringify(caller.headers)}`
    const all = made.get(key) ?? []
    made.set(key, all)
    if (!all.includes(location)) all.push(location)
    if (all.length <= keptOfEach) return []
    const target = all.shift() ?? location
    const plain = {
      method: "DELETE",
      target,
      headers: caller.headers,
      chunked: false,
      body: undefined,
      address: undefined
    }
    const answer = await wire.send(plain)
    memory.removeValue(target.split("/").at(-1) ?? "")
    // Another request may have deleted the resource already.
    const expected = answer.status === 200 || answer.status === 404 || caller.expectedAccess === "some"
    return [
      ...judge.judge(removal, answer),
      ...(expected ? [] : [`what was made could not be removed: ${answer.text}`])
    ]
  }

  for (let round = 0; round < rounds; round++) {
    for (const [index, operation] of operations.entries()) {
      if (faults.has(operation.name)) continue
      // The maximum number of steps that shrink the request of a fault.
      let shrinks = 200
      let failed = false
      const checkOrRest = async (sent: GeneratedRequest) => {
        if (failed && shrinks-- <= 0) return
        await check(sent).catch((error) => {
          failed = true
          throw error
        })
      }
      const details = await fc.check(
        fc.asyncProperty(arbitraryRequests(document, operation, memory, callers), checkOrRest),
        {
          numRuns: Math.ceil(runs / rounds),
          seed: seed + round * 1009 + index
        }
      )
      if (details.failed) faults.set(operation.name, `${operation.name}: ${describe(details.errorInstance)}`)
    }
  }
  wire.close()
  return { faults: [...faults.values()], tallies }
}

const keptOfEach = 6

class Fault extends Error {
  constructor(problems: ReadonlyArray<string>, curl: string, answer: RawHttp.RawResponse) {
    super(`${problems.join("; ")}\n  ${curl.slice(0, 3000)}\n  → ${answer.status} ${answer.text.slice(0, 800)}`)
  }
}

const describe = (error: unknown): string => (error instanceof Fault ? error.message : String((error as Error).stack))

const matches = (path: string, location: string): boolean =>
  new RegExp(`${path.replace(/\{\w+\}/g, "[^/]+")}$`).test(location)

/** Checks that HEAD returns the same status and content type as GET, and no body. */
const headProblems = async (
  wire: RawHttp.RawHttpClient,
  plain: RawHttp.RawRequest,
  answer: RawHttp.RawResponse,
  caller: FuzzedCaller
) => {
  const head = await wire.send({ ...plain, method: "HEAD" })
  if (head.status === 429 && caller.expectedAccess !== "all") return []
  const type = "content-type"
  return head.status === answer.status && head.text === "" && head.headers.get(type) === answer.headers.get(type)
    ? []
    : [`HEAD answers otherwise: ${head.status} ${head.headers.get(type)} ${head.text}`]
}

/**
 * Checks that a request that is repeated with its idempotency key gets the first response. A 429 response is also
 * correct, because the repeated request counts toward the rate limit.
 */
const replayProblems = async (wire: RawHttp.RawHttpClient, plain: RawHttp.RawRequest, first: RawHttp.RawResponse) => {
  const again = await wire.send(plain)
  const isReplayed =
    again.status === first.status && again.text === first.text && again.headers.get("idempotency-replayed") === "true"
  return isReplayed || again.status === 429
    ? []
    : [`sent again under its key it is answered otherwise: ${again.status} ${again.text.slice(0, 300)}`]
}

/** Returns a readable summary with one line per operation. */
export const summarizeReport = ({ tallies }: FuzzerReport): string =>
  [...tallies]
    .map(([name, counts]) => {
      const all = [...counts].toSorted(([one], [other]) => one.localeCompare(other))
      return `${name.padEnd(22)} ${all.map(([label, count]) => `${label}: ${count}`).join(", ")}`
    })
    .join("\n")
