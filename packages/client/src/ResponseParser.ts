/**
 * Parses the body of a response. A success returns the body, and an error response throws an ApiError or
 * UnexpectedAnswerError. The fields of the response body are not validated.
 */
import { ApiError, type ErrorCode, UnexpectedAnswerError } from "./Errors.ts"

export interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly requestId: string | null
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** A response without the service's envelope came from another server, such as a proxy. */
const unexpected = (answer: RawResponse): UnexpectedAnswerError => {
  const { headers, status, text } = answer
  if (status === 304) {
    return new UnexpectedAnswerError("304 Not Modified: the answer to If-None-Match is unchanged.", answer)
  }
  const said =
    status < 400 && status >= 300
      ? `a redirect to ${headers.get("location") ?? "elsewhere"}, which is not followed with a key; set baseUrl to the service's own address`
      : text === ""
        ? "nothing"
        : `${headers.get("content-type") ?? "something without a type"} instead of the service's JSON`
  return new UnexpectedAnswerError(`Status ${status} came with ${said}.`, answer)
}

/** Returns the complete body of a successful response, including `success` and `pagination`. */
export const parseResponse = (answer: RawResponse): unknown => {
  const { headers, requestId, status } = answer
  const body = parsed(answer.text)
  if (!isObject(body) || typeof body["success"] !== "boolean") throw unexpected(answer)
  if (status >= 200 && status < 300) return body
  const error = body["error"]
  if (!isObject(error) || typeof error["code"] !== "string") throw unexpected(answer)
  throw new ApiError({
    status,
    code: error["code"] as ErrorCode,
    message: typeof error["message"] === "string" ? error["message"] : error["code"],
    details: error["details"] as undefined,
    requestId,
    headers
  })
}
