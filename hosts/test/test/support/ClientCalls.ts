/** Runs the official client against the in-memory service, and returns the results of its calls. */
import {
  ApiError,
  type ErrorCode,
  PartnerCommentary,
  PartnerCommentaryDashboard,
  type PartnerCommentaryOptions
} from "@partner-commentary/client"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"

const baseUrl = "http://test.invalid"

/** Makes a `fetch` function that calls the in-memory service. */
export const makeServiceFetch = Effect.map(
  TestApi,
  ({ call }) =>
    (url: string, { body, headers, method }: RequestInit): Promise<Response> => {
      const { pathname, search } = new URL(url)
      const sent = {
        method: method ?? "GET",
        headers: Object.fromEntries(headers as Headers),
        ...(body ? { body } : {})
      }
      return Effect.runPromise(call(pathname + search, sent))
    }
)

export const makeClient = Effect.fnUntraced(function* (apiKey: string, more: Partial<PartnerCommentaryOptions> = {}) {
  const fetch = yield* makeServiceFetch
  let requests = 0
  const counted = (url: string, init: RequestInit) => {
    requests++
    return fetch(url, init)
  }
  return {
    client: new PartnerCommentary({ apiKey, baseUrl, fetch: counted, ...more }),
    requests: () => requests
  }
})

export const makeDashboardClient = Effect.fnUntraced(function* (token: string) {
  return new PartnerCommentaryDashboard({ token, baseUrl, fetch: yield* makeServiceFetch })
})

export const runClientCall = <A>(call: () => PromiseLike<A>) => Effect.promise(async () => call())

/** Returns the `ApiError` with which a call rejects. The error's code determines the type of its details. */
export const catchApiError = <Code extends ErrorCode>(code: Code, call: () => PromiseLike<unknown>) =>
  runClientCall(async () => {
    try {
      await call()
    } catch (error) {
      if (error instanceof ApiError && error.code === code) return error as Extract<ApiError, { code: Code }>
      throw error
    }
    throw new Error(`it was not refused with ${code}`)
  })
