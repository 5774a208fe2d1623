/**
 * Converts a Response to the form that the event source expects. The event source determines whether headers have
 * single or multiple values. Binary bodies are encoded in Base64.
 */
import { STATUS_CODES } from "node:http"
import type { GatewayResponseFormat } from "./GatewayRequest.ts"

export interface GatewayResponse {
  readonly statusCode: number
  readonly statusDescription?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly multiValueHeaders?: Readonly<Record<string, ReadonlyArray<string>>>
  readonly cookies?: ReadonlyArray<string>
  readonly body: string
  readonly isBase64Encoded: boolean
}

const text = /^(?:text\/|image\/svg\+xml|application\/(?:[\w.-]+\+)?(?:json|xml|javascript)\b)/i

export const fromWebResponse = (response: Response, form: GatewayResponseFormat): Promise<GatewayResponse> =>
  response.arrayBuffer().then((body) => inForm(response, Buffer.from(body), form))

const inForm = (response: Response, bytes: Buffer, form: GatewayResponseFormat): GatewayResponse => {
  const isText = !response.headers.has("content-encoding") && text.test(response.headers.get("content-type") ?? "")
  const said = {
    statusCode: response.status,
    body: bytes.toString(isText ? "utf8" : "base64"),
    isBase64Encoded: !isText && bytes.length > 0
  }
  const cookies = response.headers.getSetCookie()
  const single = Object.fromEntries([...response.headers].filter(([name]) => name !== "set-cookie"))
  if (form === "http-api") return { ...said, headers: single, ...(cookies.length === 0 ? {} : { cookies }) }
  const described = { ...said, statusDescription: `${response.status} ${STATUS_CODES[response.status] ?? "Unknown"}` }
  if (form === "headers") {
    const [cookie] = cookies
    return { ...described, headers: cookie === undefined ? single : { ...single, "set-cookie": cookie } }
  }
  const several = Object.fromEntries(Object.entries(single).map(([name, value]) => [name, [value]]))
  return {
    ...described,
    multiValueHeaders: cookies.length === 0 ? several : { ...several, "set-cookie": cookies }
  }
}
