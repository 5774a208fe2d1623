/** Provides a `fetch` that returns scripted responses in order, and records the requests with their times. */
import { PartnerCommentary, type PartnerCommentaryOptions } from "@partner-commentary/client"

export interface RecordedRequest {
  readonly url: string
  readonly init: RequestInit & { readonly headers: Headers }
  /** The time of the request by the test's clock. */
  readonly at: number
}

/** A response, or the error with which `fetch` rejects. */
export type ScriptedAnswer = () => Response | Error

export const jsonAnswer =
  (status: number, body: unknown, headers: Record<string, string> = {}): ScriptedAnswer =>
  () =>
    new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })

export const successAnswer = (data: unknown, headers?: Record<string, string>): ScriptedAnswer =>
  jsonAnswer(200, { success: true, data }, headers)

export const refusalAnswer = (
  status: number,
  code: string,
  details?: unknown,
  headers?: Record<string, string>
): ScriptedAnswer =>
  jsonAnswer(
    status,
    { success: false, error: { code, message: `It is ${code}.`, ...(details === undefined ? {} : { details }) } },
    headers
  )

export const htmlAnswer =
  (status: number, headers: Record<string, string> = {}): ScriptedAnswer =>
  () =>
    new Response("<html><body>Bad gateway</body></html>", {
      status,
      headers: { "content-type": "text/html", ...headers }
    })

export const brokenConnection: ScriptedAnswer = () =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }) })

export const testApiKey = "pk_test_secretsecretsecretsecretsecretsecret"

/** Returns the scripted responses in order. The last response repeats. */
export const makeScriptedService = (
  answers: ReadonlyArray<ScriptedAnswer>,
  options: Partial<PartnerCommentaryOptions> = {}
) => {
  const asked: Array<RecordedRequest> = []
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const answer = answers[Math.min(asked.length, answers.length - 1)]
    asked.push({ url, init: init as RecordedRequest["init"], at: Date.now() })
    const given = answer?.() ?? new Error("nothing is scripted")
    if (given instanceof Error) throw given
    return given
  }
  const client = new PartnerCommentary({ apiKey: testApiKey, baseUrl: "https://api.example", fetch, ...options })
  /** Returns the milliseconds between consecutive requests. */
  const pauses = () => asked.slice(1).map(({ at }, index) => at - (asked[index]?.at ?? 0))
  return { client, asked, pauses }
}

/** Returns the error with which a promise rejects. */
export const rejectionOf = async (promise: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error("it did not reject")
}
