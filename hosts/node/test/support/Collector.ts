/** Starts an OpenTelemetry collector that receives OTLP as JSON over HTTP. */
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import type * as Process from "./Process.ts"

type Value = { readonly stringValue?: string; readonly intValue?: string; readonly boolValue?: boolean }
type Attributes = ReadonlyArray<{ readonly key: string; readonly value: Value }>

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: Attributes
  readonly links?: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
}

export interface CollectedSpan extends Omit<SentSpan, "attributes" | "links"> {
  readonly attributes: Readonly<Record<string, string | boolean | undefined>>
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
}

export const startCollector = async (test: Process.TestCleanup) => {
  const bodies: Array<string> = []
  const headers: Array<IncomingHttpHeaders> = []
  const metrics = new Set<string>()
  const spans: Array<CollectedSpan> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text) => {
      body += text
    })
    request.on("end", () => {
      headers.push(request.headers)
      bodies.push(body)
      const sent = JSON.parse(body)
      if (request.url === "/v1/metrics") for (const { name } of flat(sent, "Metrics")) metrics.add(name)
      if (request.url === "/v1/traces") spans.push(...(flat(sent, "Spans") as Array<SentSpan>).map(read))
      response.end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  test.onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, bodies, headers, metrics, spans }
}

// biome-ignore lint/suspicious/noExplicitAny: OTLP messages are untyped JSON
const flat = (sent: any, kind: "Metrics" | "Spans"): ReadonlyArray<any> =>
  // biome-ignore lint/suspicious/noExplicitAny: OTLP messages are untyped JSON
  sent[`resource${kind}`].flatMap((resource: any) =>
    // biome-ignore lint/suspicious/noExplicitAny: OTLP messages are untyped JSON
    resource[`scope${kind}`].flatMap((scope: any) => scope[kind.toLowerCase()])
  )

const read = ({ attributes, links, ...span }: SentSpan): CollectedSpan => ({
  ...span,
  attributes: Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue])
  ),
  links: links ?? []
})
