/** Provides a `fetch` that returns scripted responses in order, and records the requests with their times. */
import { PartnerCommentary, type PartnerCommentaryOptions } from "@partner-commentary/client"

export interface RecordedRequest {
  readonly url: string
  readonly init: RequestInit & { readonly headers: Headers }
  /** The time of the request by the test's clock. */
  readonly at: number
}

/** A response, or the error with which `fetch` rejects. */
export type ScriptedResponse = () => Response | Error

export const makeJsonResponse =
  (status: number, body: unknown, headers: Record<string, string> = {}): ScriptedResponse =>
  () =>
    new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })

export const makeSuccessResponse = (data: unknown, headers?: Record<string, string>): ScriptedResponse =>
  makeJsonResponse(200, { success: true, data }, headers)

export const makeErrorResponse = (
  status: number,
  code: string,
  details?: unknown,
  headers?: Record<string, string>
): ScriptedResponse =>
  makeJsonResponse(
    status,
    { success: false, error: { code, message: `It is ${code}.`, ...(details === undefined ? {} : { details }) } },
    headers
  )

export const makeHtmlResponse =
  (status: number, headers: Record<string, string> = {}): ScriptedResponse =>
  () =>
    new Response("<html><body>Bad gateway</body></html>", {
      status,
      headers: { "content-type": "text/html", ...headers }
    })

export const failWithConnectionReset: ScriptedResponse = () =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }) })

export const testApiKey = "pk_test_secretsecretsecretsecretsecretsecret"

/** Simulates a service that returns the scripted responses in order, and then repeats the last scripted response. */
export const makeScriptedService = (
  answers: ReadonlyArray<ScriptedResponse>,
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
export const catchRejection = async (promise: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error("it did not reject")
}
