/** The requests that every host must answer alike: good ones, wrong ones, and ones that no client should send. */
import type { Asked } from "./Sources.ts"

interface Seen {
  readonly key: string
  /** Keys for the caller's own address, and for another. */
  readonly local: string
  readonly foreign: string
  readonly personas: ReadonlyArray<string>
}

/** `source` is the name of who brings them: some bring no header twice. */
export const asked = ({ foreign, key, local, personas }: Seen, source: string): ReadonlyArray<Asked> => {
  const as = (given: string) => ["X-Api-Key", given] as const
  const json = ["Content-Type", "application/json"] as const
  const html = ["Accept", "text/html"] as const
  const get = (target: string, ...headers: NonNullable<Asked["headers"]>): Asked => ({ method: "GET", target, headers })
  const post = (target: string, body: string | Uint8Array, ...headers: NonNullable<Asked["headers"]>): Asked => ({
    method: "POST",
    target,
    headers: [...headers, ["Content-Length", String(Buffer.byteLength(body))]],
    body
  })
  const topic = (content: string, more = {}) =>
    JSON.stringify({ content: `${content} this time?`, persona_ids: personas, ...more })
  const topics = "/partner/v1/topics"
  const reference = "derby-1"
  const several = /multi-value|REST|1\.0/.test(source)
  return [
    get("/healthz"),
    get("/readyz"),
    get("/avatar.svg"),
    get("/openapi.json"),
    get("/openapi.json", ["Accept-Encoding", "gzip"]),
    get("/docs", ["Accept-Encoding", "gzip, br"]),
    get("/docs/explorer.js"),
    get("/"),
    get("/partner/v1/personas", as(key)),
    get("/partner/v1/personas", as(local)),
    get("/partner/v1/personas", as(foreign)),
    get("/partner/v1/personas"),
    get("/partner/v1/personas", as("nonsense"), ["X-Request-Id", "mine-1"]),
    get("/partner/v1/personas", as(key), ["X-Request-Id", "not mine"]),
    get("/partner/v1/personas/", as(key)),
    get("/partner/v1//personas", as(key)),
    get("/partner/v1/../v1/personas", as(key)),
    get("/partner/v1/%70ersonas", as(key)),
    get("/PARTNER/v1/personas", as(key)),
    get("/partner/v1/personas;x=1", as(key)),
    get(`/partner/v1/personas/${personas[0]}`, as(key)),
    get("/partner/v1/personas/nonsense", as(key)),
    post(topics, topic("Who wins", { external_reference: reference }), as(key), json),
    post(topics, topic("Who wins", { external_reference: reference }), as(key), json),
    post(topics, topic("Who loses"), as(key), json, ["Idempotency-Key", "key-1"]),
    post(topics, topic("Who loses"), as(key), json, ["Idempotency-Key", "key-1"]),
    post(topics, "{", as(key), json),
    post(topics, "", as(key), json),
    post(topics, "[]", as(key), json),
    post(topics, '{"content":"twice the same key?","content":"twice"}', as(key), json),
    post(topics, topic("Which type"), as(key), ["Content-Type", "text/plain"]),
    post(topics, topic("No type"), as(key)),
    post(topics, new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), as(key), json),
    post(topics, "x".repeat(70_000), as(key), json),
    get(`${topics}/by-reference/${reference}`, as(key)),
    get(`${topics}/by-reference/${reference.replaceAll("-", "%2D")}`, as(key)),
    get(`${topics}/by-reference/100%`, as(key)),
    get(`${topics}/by-reference/a%2Fb`, as(key)),
    get(`${topics}?limit=1`, as(key)),
    // That one drops what comes twice before anybody else sees it.
    ...(source === "a load balancer" ? [] : [get(`${topics}?limit=1&limit=2`, as(key))]),
    get(`${topics}?limit=0&status=nonsense`, as(key)),
    get(`${topics}?limit=%31&cursor=%20%26%3D%2B%25`, as(key)),
    get(`${topics}/nonsense/status`, as(key)),
    get(`${topics}/0198c0de-0000-7000-8000-000000000001/status`, as(key)),
    { method: "HEAD", target: "/partner/v1/personas", headers: [as(key)] },
    { method: "HEAD", target: "/healthz" },
    { method: "OPTIONS", target: topics, headers: [["Origin", "https://elsewhere.example"]] },
    { method: "PUT", target: topics, headers: [as(key)] },
    { method: "DELETE", target: topics, headers: [as(key)] },
    { method: "PATCH", target: "/partner/v1/nowhere", headers: [as(key)] },
    get("/partner/v1/usage", as(key)),
    get("/partner/v1/api-keys", ["Authorization", "Bearer nonsense"]),
    get("/creator/nonsense", html),
    get("/creator/nonsense", ["Accept", "application/json"]),
    post("/creator/nonsense/respond", "perspective=Mine", ["Content-Type", "application/x-www-form-urlencoded"], html),
    post("/creator/nonsense/respond", "{}", json),
    ...(several
      ? [
          get("/partner/v1/personas", as(key), as("nonsense")),
          get("/partner/v1/personas", as(key), ["Accept", "text/html"], ["Accept", "application/json"]),
          post(topics, topic("Which type counts"), as(key), json, ["Content-Type", "text/plain"]),
          get("/partner/v1/api-keys", ["Authorization", "Bearer one"], ["Authorization", "Bearer two"])
        ]
      : [])
  ]
}
