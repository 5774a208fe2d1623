/** Tests sections 2 and 4 of the specification: the API key, and the operations on keys. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  formatStatusAndCode,
  readInvalidFields,
  registerServiceTest,
  seedPartner,
  sendRequest,
  timestampPattern
} from "../support/conformance/Dashboard.ts"

const body = { name: "Backend", scopes: ["topics:read", "usage:read"] }

registerServiceTest(
  "4 POST /api-keys: creates an API key",
  Effect.gen(function* () {
    const { token } = yield* seedPartner()
    const { data, status } = yield* sendRequest("POST /api-keys", { token, body })
    assert.strictEqual(status, 201)
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: data.full_key })), "200")
  })
)

registerServiceTest(
  "4 POST /api-keys: authentication by Authorization: Bearer <JWT>, not the API key header",
  Effect.gen(function* () {
    const { key, token } = yield* seedPartner()
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("POST /api-keys", { key, body })), "401 unauthorized")
    assert.strictEqual(
      formatStatusAndCode(yield* sendRequest("POST /api-keys", { token: key, body })),
      "401 unauthorized"
    )
    assert.strictEqual(
      formatStatusAndCode(yield* sendRequest("POST /api-keys", { key: token, body })),
      "401 unauthorized"
    )
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("POST /api-keys", { token, body })), "201")
  })
)

registerServiceTest(
  "4 POST /api-keys: name is required, a string",
  Effect.gen(function* () {
    const { token } = yield* seedPartner()
    const { name: _, ...rest } = body
    assert.deepStrictEqual(readInvalidFields(yield* sendRequest("POST /api-keys", { token, body: rest })), ["name"])
    assert.deepStrictEqual(
      readInvalidFields(yield* sendRequest("POST /api-keys", { token, body: { ...body, name: 7 } })),
      ["name"]
    )
  })
)

registerServiceTest(
  "4 POST /api-keys: scopes are required, an array of strings",
  Effect.gen(function* () {
    const { token } = yield* seedPartner()
    const { scopes: _, ...rest } = body
    assert.deepStrictEqual(readInvalidFields(yield* sendRequest("POST /api-keys", { token, body: rest })), ["scopes"])
    for (const scopes of ["topics:read", [7]]) {
      const [field] = readInvalidFields(yield* sendRequest("POST /api-keys", { token, body: { ...body, scopes } }))
      assert.match(field ?? "", /^scopes/)
    }
  })
)

registerServiceTest(
  "4 POST /api-keys: the IP whitelist is an optional array of strings",
  Effect.gen(function* () {
    const { token } = yield* seedPartner()
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("POST /api-keys", { token, body })), "201")
    const listed = { ...body, ip_whitelist: ["203.0.113.7"] }
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("POST /api-keys", { token, body: listed })), "201")
    const text = { ...body, ip_whitelist: "203.0.113.7" }
    assert.deepStrictEqual(readInvalidFields(yield* sendRequest("POST /api-keys", { token, body: text })), [
      "ip_whitelist"
    ])
  })
)

registerServiceTest(
  "4 POST /api-keys: response data is {id, name, full_key, key_prefix, scopes, created_at}",
  Effect.gen(function* () {
    const { token } = yield* seedPartner()
    const { data } = yield* sendRequest("POST /api-keys", { token, body })
    assert.includeMembers(Object.keys(data), ["id", "name", "full_key", "key_prefix", "scopes", "created_at"])
    assert.deepInclude(data, body)
    assert.match(data.created_at, timestampPattern)
    for (const text of [data.id, data.full_key]) assert.isString(text)
  })
)

registerServiceTest(
  "2 API key: key_prefix is the leading characters of the key",
  Effect.gen(function* () {
    const { token } = yield* seedPartner()
    const { full_key, key_prefix } = (yield* sendRequest("POST /api-keys", { token, body })).data
    assert.isTrue(full_key.startsWith(key_prefix))
    assert.isBelow(key_prefix.length, full_key.length)
  })
)

registerServiceTest(
  "4 POST /api-keys: full_key is returned only in this response",
  Effect.gen(function* () {
    const { token } = yield* seedPartner()
    const { full_key, id } = (yield* sendRequest("POST /api-keys", { token, body })).data
    for (const line of [
      "GET /api-keys",
      `GET /api-keys/${id}`,
      `POST /api-keys/${id}/rotate`,
      `DELETE /api-keys/${id}`
    ]) {
      const { status, text } = yield* sendRequest(line, { token })
      assert.isBelow(status, 300)
      assert.notInclude(text, full_key)
    }
  })
)

for (const environment of ["live", "test"]) {
  registerServiceTest(
    `2 API key: key format pk_<environment>_<random_string>, with environment ${environment}`,
    Effect.gen(function* () {
      const { token } = yield* seedPartner()
      const { full_key } = (yield* sendRequest("POST /api-keys", { token, body: { ...body, environment } })).data
      assert.match(full_key, new RegExp(`^pk_${environment}_[0-9A-Za-z]+$`))
    })
  )
}

registerServiceTest(
  "4 GET /api-keys lists keys",
  Effect.gen(function* () {
    const { keyId, token } = yield* seedPartner()
    const { id } = (yield* sendRequest("POST /api-keys", { token, body })).data
    const { data, status } = yield* sendRequest("GET /api-keys", { token })
    assert.strictEqual(status, 200)
    assert.sameMembers(
      data.map((key: { readonly id: string }) => key.id),
      [keyId, id]
    )
  })
)

registerServiceTest(
  "4 POST /api-keys/{id}/rotate rotates a key",
  Effect.gen(function* () {
    const { token } = yield* seedPartner()
    const before = (yield* sendRequest("POST /api-keys", { token, body })).data
    const after = yield* sendRequest(`POST /api-keys/${before.id}/rotate`, { token, body: { grace_period_seconds: 0 } })
    assert.strictEqual(formatStatusAndCode(after), "201")
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: after.data.full_key })), "200")
    assert.strictEqual(
      formatStatusAndCode(yield* sendRequest("GET /usage", { key: before.full_key })),
      "401 key_revoked"
    )
  })
)

registerServiceTest(
  "4 DELETE /api-keys/{id} revokes a key",
  Effect.gen(function* () {
    const { token } = yield* seedPartner()
    const { full_key, id } = (yield* sendRequest("POST /api-keys", { token, body })).data
    assert.strictEqual(formatStatusAndCode(yield* sendRequest(`DELETE /api-keys/${id}`, { token })), "200")
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /usage", { key: full_key })), "401 key_revoked")
  })
)
