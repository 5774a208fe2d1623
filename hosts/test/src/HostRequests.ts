/**
 * The requests to which all hosts must respond in the same way: valid requests, invalid requests, and requests that no
 * client should send.
 */

export interface HostComparisonRequest {
  readonly method: string
  /** The path as sent in the request, with its query. */
  readonly target: string
  /** A header name may occur several times. */
  readonly headers?: ReadonlyArray<readonly [string, string]>
  readonly body?: string | Uint8Array
  /**
   * The feature that a host needs for the request. The suite does not send the request to a host that lacks the needed
   * feature.
   */
  readonly needs?: HostCapability
}

/**
 * Request features that some servers and proxies change. The names of these features stand for the client's address,
 * dots in a path, invalid percent escapes, a repeated header or parameter, a chunked body, and an uncommon method.
 */
export type HostCapability =
  | "address"
  | "dots"
  | "escapes"
  | "repeated headers"
  | "repeated query"
  | "chunks"
  | "method"

/** The partner whose data the host's database contains. */
export interface SeededHostPartner {
  readonly key: string
  /** The text of a key that allows three requests a minute. */
  readonly hurried: string
  /** The key `local` allows only the caller's address, and the key `foreign` allows only another address. */
  readonly local: string
  readonly foreign: string
  readonly personas: ReadonlyArray<string>
}

type Headers = ReadonlyArray<readonly [string, string]>

const json = ["Content-Type", "application/json"] as const
const html = ["Accept", "text/html"] as const
const topics = "/partner/v1/topics"

const as = (key: string) => ["X-Api-Key", key] as const

const streamed = "/partner/v1/events/stream"

const get = (target: string, ...headers: Headers): HostComparisonRequest => ({ method: "GET", target, headers })

const post = (target: string, body: string | Uint8Array, ...headers: Headers): HostComparisonRequest => ({
  method: "POST",
  target,
  headers: [...headers, ["Content-Length", String(Buffer.byteLength(body))]],
  body
})

const chunked = (target: string, body: string | Uint8Array, ...headers: Headers): HostComparisonRequest => ({
  method: "POST",
  target,
  headers: [...headers, ["Transfer-Encoding", "chunked"]],
  body,
  needs: "chunks"
})

const requireCapability = (needs: HostCapability, ...all: ReadonlyArray<HostComparisonRequest>) =>
  all.map((one): HostComparisonRequest => ({ ...one, needs }))

/** The order matters, because later requests depend on the effects of earlier requests. */
export const makeConformanceRequests = (seen: SeededHostPartner): ReadonlyArray<HostComparisonRequest> => [
  ...open,
  ...personas(seen),
  ...submissions(seen),
  ...reads(seen),
  ...methods(seen),
  ...others(seen)
]

const open: ReadonlyArray<HostComparisonRequest> = [
  get("/healthz"),
  get("/readyz"),
  get("/avatar.svg"),
  get("/openapi.json"),
  get("/openapi.json", ["Accept-Encoding", "gzip"]),
  get("/docs", ["Accept-Encoding", "gzip, br"]),
  get("/docs/explorer.js"),
  get("/")
]

const personas = ({
  foreign,
  key,
  local,
  personas: [first]
}: SeededHostPartner): ReadonlyArray<HostComparisonRequest> => [
  get("/partner/v1/personas", as(key)),
  ...requireCapability("address", get("/partner/v1/personas", as(local))),
  get("/partner/v1/personas", as(foreign)),
  // The host under test trusts no proxy, so the service must ignore the header X-Forwarded-For.
  get("/partner/v1/personas", as(foreign), ["X-Forwarded-For", "198.51.100.1"]),
  get("/partner/v1/personas"),
  get("/partner/v1/personas", as("")),
  get("/partner/v1/personas", as("nonsense"), ["X-Request-Id", "mine-1"]),
  get("/partner/v1/personas", as(key), ["X-Request-Id", "not mine"]),
  get("/partner/v1/personas/", as(key)),
  get("/partner/v1//personas", as(key)),
  ...requireCapability("dots", get("/partner/v1/../v1/personas", as(key)), get("/partner/v1/%2e/personas", as(key))),
  get("/partner/v1/%70ersonas", as(key)),
  get("/PARTNER/v1/personas", as(key)),
  get("/partner/v1/personas;x=1", as(key)),
  get(`/partner/v1/personas/${first}`, as(key)),
  get("/partner/v1/personas/nonsense", as(key)),
  ...requireCapability(
    "repeated headers",
    get("/partner/v1/personas", as(key), as("nonsense")),
    get("/partner/v1/personas", as(key), ["Accept", "text/html"], ["Accept", "application/json"]),
    get("/partner/v1/api-keys", ["Authorization", "Bearer one"], ["Authorization", "Bearer two"])
  )
]

const submissions = ({ key, personas: ids }: SeededHostPartner): ReadonlyArray<HostComparisonRequest> => {
  const topic = (content: string, more = {}) => JSON.stringify({ content, persona_ids: ids, ...more })
  const large = (size: number) => topic("x".repeat(size))
  const referred = topic("Who wins this time?", { external_reference: "derby-1" })
  const send = (body: string | Uint8Array, ...headers: Headers) => post(topics, body, as(key), json, ...headers)
  return [
    send(referred),
    send(referred),
    send(topic("Who loses this time?"), ["Idempotency-Key", "key-1"]),
    send(topic("Who loses this time?"), ["Idempotency-Key", "key-1"]),
    send(topic("Who else loses this time?"), ["Idempotency-Key", "key-1"]),
    send(topic("Wer gewinnt, Zoë? 🏆")),
    chunked(topics, topic("Who sends it in chunks?"), as(key), json),
    chunked(topics, topic("Who else sends it in chunks? ".padEnd(900, "x")), as(key), json),
    chunked(topics, "", as(key), json),
    chunked(topics, "{", as(key), json),
    send("{"),
    send(""),
    send("[]"),
    send("null"),
    send('{"content":"twice the same key?","content":"twice"}'),
    send(`${"[".repeat(40)}${"]".repeat(40)}`),
    send(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])),
    send(new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d])),
    send("x".repeat(70_000)),
    send(large(256 * 1024)),
    send(large(1024 * 1024)),
    chunked(topics, large(1024 * 1024), as(key), json),
    post(`${topics}/bulk`, large(300 * 1024), as(key), json),
    post(`${topics}/bulk`, JSON.stringify({ topics: [JSON.parse(topic("Who wins in bulk?")), {}] }), as(key), json),
    post(topics, topic("Which type?"), as(key), ["Content-Type", "text/plain"]),
    post(topics, topic("Which form?"), as(key), ["Content-Type", "application/x-www-form-urlencoded"]),
    post(topics, topic("Which parts?"), as(key), ["Content-Type", "multipart/form-data; boundary=x"]),
    post(topics, topic("Which broken type?"), as(key), ["Content-Type", "json"]),
    post(topics, topic("Which letters?"), as(key), ["Content-Type", "application/json; charset=utf-8"]),
    post(topics, topic("No type"), as(key)),
    post(topics, topic("No key"), json),
    { method: "POST", target: topics, headers: [as(key), json, ["Content-Length", "0"]] },
    ...requireCapability(
      "repeated headers",
      post(topics, topic("Which type counts?"), as(key), json, ["Content-Type", "text/plain"]),
      send(topic("Which name counts?"), ["Idempotency-Key", "key-2"], ["Idempotency-Key", "key-3"])
    )
  ]
}

const reads = ({ key }: SeededHostPartner): ReadonlyArray<HostComparisonRequest> => [
  get(`${topics}/by-reference/derby-1`, as(key)),
  get(`${topics}/by-reference/derby%2D1`, as(key)),
  get(`${topics}/by-reference/derby%2d1`, as(key)),
  get(`${topics}/by-reference/a%2Fb`, as(key)),
  get(`${topics}/by-reference/%E2%9C%93`, as(key)),
  ...requireCapability(
    "escapes",
    get(`${topics}/by-reference/100%`, as(key)),
    get(`${topics}/by-reference/%ff`, as(key)),
    get("/partner/v1/%zz", as(key))
  ),
  get(`${topics}/by-reference/${"r".repeat(256)}`, as(key)),
  get(`${topics}?limit=1`, as(key)),
  ...requireCapability("repeated query", get(`${topics}?limit=1&limit=2`, as(key))),
  get(`${topics}?limit=0&status=nonsense`, as(key)),
  get(`${topics}?limit=%31&cursor=%20%26%3D%2B%25`, as(key)),
  get(`${topics}/nonsense/status`, as(key)),
  get(`${topics}/0198c0de-0000-7000-8000-000000000001/status`, as(key)),
  get("/partner/v1/usage", as(key)),
  get("/partner/v1/me", as("nonsense")),
  get("/partner/v1/events?order=asc", as(key)),
  get("/partner/v1/events?after=evt_1", as(key)),
  get(`${topics}?limit=1`, as(key), ["If-None-Match", '"other"']),
  post(`${topics}/0198c0de-0000-7000-8000-000000000001/cancel`, "", as(key))
]

const methods = ({ key }: SeededHostPartner): ReadonlyArray<HostComparisonRequest> => [
  { method: "HEAD", target: "/partner/v1/personas", headers: [as(key)] },
  { method: "HEAD", target: "/partner/v1/personas" },
  { method: "HEAD", target: "/healthz" },
  // The stream is requested only with HEAD or with invalid input, because a successful GET would not end.
  { method: "HEAD", target: streamed, headers: [as(key)] },
  get(streamed, as("nonsense")),
  get(`${streamed}?after=evt_1&type=x`, as(key), ["Last-Event-ID", "2"]),
  { method: "HEAD", target: "/openapi.json" },
  { method: "OPTIONS", target: topics, headers: [["Origin", "https://elsewhere.example"]] },
  { method: "PUT", target: topics, headers: [as(key)] },
  { ...post(topics, "{}", as(key), json), method: "PUT" },
  { method: "DELETE", target: topics, headers: [as(key)] },
  { method: "PATCH", target: "/partner/v1/nowhere", headers: [as(key)] },
  ...requireCapability(
    "method",
    { method: "PROPFIND", target: topics, headers: [as(key)] },
    { method: "TRACE", target: topics, headers: [as(key)] }
  )
]

const others = ({ hurried }: SeededHostPartner): ReadonlyArray<HostComparisonRequest> => [
  get("/partner/v1/api-keys", ["Authorization", "Bearer nonsense"]),
  get("/creator/nonsense", html),
  get("/creator/nonsense", ["Accept", "application/json"]),
  post("/creator/nonsense/respond", "perspective=Mine", ["Content-Type", "application/x-www-form-urlencoded"], html),
  post("/creator/nonsense/respond", "{}", json),
  ...[1, 2, 3, 4].map(() => get("/partner/v1/personas", as(hurried)))
]
