/**
 * Converts a response of the service to the form that the event source expects. The event source determines whether
 * headers have single or multiple values. Binary bodies are encoded in Base64.
 */
import type { HostResponse } from "@partner-commentary/server/embedding/WebHandler"
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

export const fromHostResponse = (response: HostResponse, form: GatewayResponseFormat): Promise<GatewayResponse> =>
  readBody(response.body).then((bytes) => inForm(response, bytes, form))

const readBody = (body: HostResponse["body"]): Promise<Buffer> => {
  if (body === null || typeof body === "string") return Promise.resolve(Buffer.from(body ?? ""))
  return body instanceof Uint8Array
    ? Promise.resolve(Buffer.from(body))
    : new Response(body).arrayBuffer().then((bytes) => Buffer.from(bytes))
}

const inForm = ({ headers, status }: HostResponse, bytes: Buffer, form: GatewayResponseFormat): GatewayResponse => {
  const { "set-cookie": cookie = [], ...others } = headers
  const cookies = [cookie].flat()
  const single = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, [value].flat().join(", ")]))
  const isText = single["content-encoding"] === undefined && text.test(single["content-type"] ?? "")
  const said = {
    statusCode: status,
    body: bytes.toString(isText ? "utf8" : "base64"),
    isBase64Encoded: !isText && bytes.length > 0
  }
  if (form === "http-api") return { ...said, headers: single, ...(cookies.length === 0 ? {} : { cookies }) }
  // biome-ignore lint/style/noRestrictedGlobals: an import of `node:http` would load Node's HTTP client at each start
  const { STATUS_CODES } = process.getBuiltinModule("node:http")
  const described = { ...said, statusDescription: `${status} ${STATUS_CODES[status] ?? "Unknown"}` }
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
