/** An HTTP request as every source of events tells it, once read; how the source wants it answered; and the web's Request made of it. */
import type { RequestContext } from "@partner-commentary/server/embedding/WebHandler"
import * as WebRequest from "@partner-commentary/server/http/WebRequest"

export interface Call {
  readonly method: string
  /** Path and query as they were sent, less the stage, or what a domain of one's own has before every path. */
  readonly targetBelow: (prefix: string) => string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer> | null
  /** Who connected to the gateway; `""` where it does not tell. */
  readonly address: string
  readonly answerAs: AnswerForm
}

export type AnswerForm = "http-api" | "headers" | "multi-value-headers"

/** Of several, Node's server keeps the first alone; those of every other name it joins. Ours are to be read the same everywhere. */
const single = new Set(
  [
    "age, authorization, content-length, content-type, etag, expires, from, host, if-modified-since, if-unmodified-since",
    "last-modified, location, max-forwards, proxy-authorization, referer, retry-after, server, user-agent"
  ]
    .join(", ")
    .split(", ")
)

export const joined = (headers: Iterable<readonly [string, ReadonlyArray<string>]>): Record<string, string> => {
  const found: Record<string, string> = {}
  for (const [name, values] of headers) {
    const key = name.toLowerCase()
    const before = found[key]
    const all = before === undefined ? values : [before, ...values]
    const [first] = all
    if (first !== undefined) found[key] = single.has(key) ? first : all.join(key === "cookie" ? "; " : ", ")
  }
  return found
}

/** Nothing where a method or a header is none that HTTP could have brought. */
export const toWeb = (call: Call, prefix: string): readonly [Request, RequestContext] | undefined => {
  const { address, body, headers, method } = call
  const target = call.targetBelow(prefix)
  const bodiless = body === null || body.length === 0 || /^(get|head)$/i.test(method)
  const host = headers["host"] ?? ""
  const root = URL.canParse(`https://${host}/`) ? `https://${host}` : "https://localhost"
  // In one piece: what begins with two slashes is no other host.
  try {
    const request = WebRequest.make(`${root}${target}`, {
      method,
      headers: new Headers(headers),
      ...(bodiless ? {} : { body })
    })
    return [request, { address, target, isPrefixRemoved: true }]
  } catch {
    return undefined
  }
}
