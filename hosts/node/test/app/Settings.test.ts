import { assert, describe, it } from "@effect/vitest"
import * as ConfigSummary from "@partner-commentary/settings/ConfigSummary"
import * as Settings from "@partner-commentary/settings/Settings"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

const read = (env: Record<string, string>) =>
  Effect.provideService(Settings.readSettings, ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(env))

const refusal = (env: Record<string, string>) => Effect.map(Effect.flip(read(env)), ({ message }) => message)

const bucket = {
  MEDIA_S3_URL: "https://s3.example.com/media",
  MEDIA_S3_ACCESS_KEY_ID: "AKID",
  MEDIA_S3_SECRET_ACCESS_KEY: "hunter2"
}

describe("the settings", () => {
  it.effect("an empty environment means development with the default SQLite file", () =>
    Effect.gen(function* () {
      const settings = yield* read({})
      assert.deepStrictEqual(settings.listen, { host: "127.0.0.1", port: 8080, keepAlive: Duration.seconds(65) })
      assert.deepStrictEqual(settings.database, { filename: "./data/partner-commentary.db", isDefault: true })
      assert.isTrue(settings.development)
      assert.isFalse(settings.webhooks.allowPrivate)
      assert.isTrue(Option.isNone(settings.mail.server) && Option.isNone(settings.signingSecrets))
      assert.deepStrictEqual(settings.policy.contentLength, { min: 10, max: 500 })
    })
  )

  it.effect("a blank environment variable counts as unset", () =>
    Effect.gen(function* () {
      const settings = yield* read({ PORT: "", SMTP_URL: " ", DATABASE_URL: "" })
      assert.strictEqual(settings.listen.port, 8080)
      assert.isTrue(settings.development)
    })
  )

  it.effect("DATABASE_URL, DEV=false, or a HOST or PUBLIC_URL that is not loopback ends development mode", () =>
    Effect.gen(function* () {
      const isDevelopment = (env: Record<string, string>) => Effect.map(read(env), ({ development }) => development)
      assert.isFalse(yield* isDevelopment({ DATABASE_URL: "sqlite:./x.db" }))
      assert.isFalse(yield* isDevelopment({ PUBLIC_URL: "https://api.example.com" }))
      assert.isFalse(yield* isDevelopment({ HOST: "0.0.0.0" }))
      assert.isFalse(yield* isDevelopment({ DEV: "false" }))
      assert.isTrue(yield* isDevelopment({ PUBLIC_URL: "http://localhost:3000/" }))
      assert.isTrue(yield* isDevelopment({ PUBLIC_URL: "http://[::1]:3000" }))
      assert.isTrue(yield* isDevelopment({ DEV: "true", DATABASE_URL: "sqlite:./x.db", HOST: "0.0.0.0" }))
    })
  )

  it.effect("a variable whose name is almost that of an unset variable causes a warning", () =>
    Effect.gen(function* () {
      const warnings = (env: Record<string, string>) => Effect.map(read(env), ConfigSummary.listSettingWarnings)
      for (const [name, meant] of [
        ["GENERATOR_ULR", "GENERATOR_URL"],
        ["WEBHOOK_TIMEOT", "WEBHOOK_TIMEOUT"],
        ["WEBHOOK_RETRYS_SHEDULE", "WEBHOOK_RETRY_SCHEDULE"],
        ["MAIL_FORM", "MAIL_FROM"],
        ["log_level", "LOG_LEVEL"]
      ] as const) {
        assert.deepStrictEqual(yield* warnings({ [name]: "3" }), [`${name} is ignored: did you mean ${meant}?`])
      }
      const foreign = ["SMTP_HOST", "SMTP_PASSWORD", "POST", "HOME", "DATABASE_NAME", "ADMIN_USER", "WORKER_PORT"]
      const otel = ["OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_SERVICE_NAME", "PGPASSFILE", "http_proxy", "A__B", "C_0"]
      const both = { GENERATOR_URL: "https://llm.example/v1", GENERATOR_MODEL: "m", GENERATOR_URI: "x" }
      const env = Object.fromEntries([...foreign, ...otel].map((name) => [name, "x"]))
      assert.deepStrictEqual(yield* warnings({ ...env, ...both, MAIL_FORM: "" }), [])
    })
  )

  it.effect("every environment variable is read into its setting", () =>
    Effect.gen(function* () {
      const settings = yield* read({
        PORT: "0",
        HOST: "::1",
        PUBLIC_URL: "https://api.example.com/commentary/",
        DATABASE_URL: "sqlite::memory:",
        SMTP_URL: "smtp://u:p@mail.example.com:25",
        SMTP_CONNECTIONS: "4",
        MAIL_FROM: "Desk <desk@example.com>",
        SIGNING_SECRET: "new, old",
        GENERATOR_URL: "http://localhost:11434/v1",
        GENERATOR_API_KEY: "k",
        GENERATOR_MODEL: "m",
        SPEECH_URL: "http://localhost:8880/v1/",
        SPEECH_API_KEY: "k",
        SPEECH_MODEL: "s",
        SPEECH_VOICE: "alto",
        MEDIA_S3_URL: "https://s3.example.com/media/",
        MEDIA_S3_REGION: "eu-north-1",
        MEDIA_S3_ACCESS_KEY_ID: "AKID",
        MEDIA_S3_SECRET_ACCESS_KEY: "hush",
        MEDIA_S3_SESSION_TOKEN: "token",
        MEDIA_PUBLIC_URL: "https://cdn.example.com/spoken",
        MEDIA_RETRY_SCHEDULE: "3 seconds",
        JWKS_URL: "https://id.example.com/keys?p=1",
        JWT_ISSUER: "https://id.example.com/",
        JWT_AUDIENCE: "commentary",
        JWT_ORG_CLAIM: "https://example.com/org",
        TRUSTED_PROXIES: "10.0.0.0/8, ::1",
        WEBHOOK_ALLOW_PRIVATE: "true",
        RESPONSE_WINDOW: "2 hours",
        LATEST_DEADLINE: "30 days",
        APPROVAL_WINDOW: "3 days",
        DUPLICATE_WINDOW: "30 minutes",
        CONTENT_MIN_LENGTH: "5",
        CONTENT_MAX_LENGTH: "100",
        GENERATION_RETRY_SCHEDULE: "1 second, 2 seconds",
        WORKER_LEASE: "10 seconds",
        WORKER_POLL_INTERVAL: "100 millis",
        ADMIN_HOST: "0.0.0.0",
        ADMIN_PORT: "9100",
        LOG_LEVEL: "Debug",
        LOG_FORMAT: "json",
        LOG_REQUESTS: "true",
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318",
        OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Basic%20YTpi==, x-scope=desk"
      })
      assert.strictEqual(Settings.findApiRoot(settings, 1), "https://api.example.com/commentary")
      assert.deepStrictEqual(settings.database, { filename: ":memory:", isDefault: false })
      assert.strictEqual(settings.mail.from, "Desk <desk@example.com>")
      assert.deepStrictEqual(Option.getOrThrow(settings.signingSecrets).map(Redacted.value), ["new", "old"])
      assert.strictEqual(Option.getOrThrow(settings.generator).url, "http://localhost:11434/v1")
      const { speech, storage } = settings.media
      assert.deepInclude(Option.getOrThrow(speech), { url: "http://localhost:8880/v1", model: "s", voice: "alto" })
      const bucket = Option.getOrThrow(storage)
      if (bucket.kind !== "bucket") return assert.fail("no bucket")
      const { secretAccessKey, sessionToken, ...open } = bucket
      assert.deepStrictEqual(open, {
        kind: "bucket",
        url: "https://s3.example.com/media",
        publicUrl: Option.some("https://cdn.example.com/spoken"),
        region: "eu-north-1",
        accessKeyId: "AKID"
      })
      assert.strictEqual(Redacted.value(secretAccessKey), "hush")
      assert.deepStrictEqual(Option.map(sessionToken, Redacted.value), Option.some("token"))
      assert.deepStrictEqual(settings.policy.mediaRetries.map(Duration.toMillis), [3000])
      assert.deepStrictEqual(Option.getOrThrow(settings.identity), {
        jwksUrl: "https://id.example.com/keys?p=1",
        issuer: "https://id.example.com/",
        audience: "commentary",
        organizationClaim: "https://example.com/org"
      })
      assert.lengthOf(settings.trustedProxies, 2)
      assert.isTrue(settings.webhooks.allowPrivate)
      assert.deepStrictEqual(settings.policy.generationRetries.map(Duration.toMillis), [1000, 2000])
      assert.strictEqual(Duration.toDays(settings.policy.deadlineRange.max), 30)
      assert.strictEqual(Duration.toMillis(settings.policy.lease), 10_000)
      assert.strictEqual(Duration.toMillis(settings.workers.pollInterval), 100)
      assert.deepStrictEqual(settings.admin, { host: "0.0.0.0", port: Option.some(9100) })
      const { headers, url } = Option.getOrThrow(settings.otlp)
      assert.strictEqual(url, "http://localhost:4318")
      assert.deepStrictEqual(Redacted.value(headers), { authorization: "Basic YTpi==", "x-scope": "desk" })
      assert.deepStrictEqual(settings.log, {
        level: Option.some("debug"),
        format: Option.some("json"),
        requests: true
      })
    })
  )

  it.effect("a Postgres database is described without credentials, and its URLs are redacted", () =>
    Effect.gen(function* () {
      const url = "postgres://u:hunter2@db.example.com:6432/desk?sslmode=require"
      const { database, development } = yield* read({
        DATABASE_URL: url,
        DATABASE_DIRECT_URL: "postgresql://u:hunter2@db.example.com/desk",
        DATABASE_POOL_SIZE: "20"
      })
      assert.isFalse(development)
      if (!("url" in database)) return assert.fail("no database of Postgres")
      assert.strictEqual(Redacted.value(database.url), url)
      assert.strictEqual(database.poolSize, 20)
      assert.strictEqual(database.told, "db.example.com port 6432, database desk")
      assert.isTrue(Option.isSome(database.directUrl))
      assert.notInclude(JSON.stringify(database), "hunter2")
    })
  )

  it.effect("without PUBLIC_URL, links in mails start with the address on which the service listens", () =>
    Effect.gen(function* () {
      assert.strictEqual(Settings.findApiRoot(yield* read({}), 4000), "http://127.0.0.1:4000")
      assert.strictEqual(Settings.findApiRoot(yield* read({ HOST: "::1" }), 4000), "http://[::1]:4000")
      assert.strictEqual(Settings.findApiRoot(yield* read({ HOST: "0.0.0.0" }), 4000), "http://localhost:4000")
    })
  )

  for (const [name, value, rest] of [
    ["PORT", "70000"],
    ["PORT", "http"],
    ["PROCESSES", "0"],
    ["PROCESSES", "many"],
    ["PUBLIC_URL", "example.com"],
    ["PUBLIC_URL", "https://example.com/?a=1"],
    ["PUBLIC_URL", "https://ada@example.com"],
    ["DEV", "maybe"],
    ["DATABASE_URL", "postgres://u:hunter2@db/x?sslmode=maybe"],
    ["DATABASE_URL", "postgres://u:hunter2@db/x?sslmode=verify-full&sslrootcert=nowhere.pem"],
    ["DATABASE_URL", "postgres://u:hunter2@db/x?connect_timeout=soon"],
    ["DATABASE_URL", "postgres://u:hunter2@db:port/x"],
    ["DATABASE_DIRECT_URL", "postgres://u:hunter2@db/x"],
    ["DATABASE_DIRECT_URL", "mysql://u:hunter2@db/x", { DATABASE_URL: "postgres://u:hunter2@db/x" }],
    ["DATABASE_POOL_SIZE", "1"],
    ["DATABASE_URL", "mysql://x"],
    ["DATABASE_URL", "sqlite:"],
    ["SMTP_URL", "https://u:hunter2@mail.example.com"],
    ["SMTP_URL", "smtp://u:hunter2@mail.example.com?requiretls=true"],
    ["SMTP_URL", "smtp://u:hunter2@mail.example.com?requireTLS=hunter2"],
    ["SMTP_CONNECTIONS", "0"],
    ["MAIL_FROM", "nobody"],
    ["SIGNING_SECRET", "hunter2,,x"],
    ["GENERATOR_URL", "localhost:11434"],
    ["GENERATOR_MODEL", "", { GENERATOR_URL: "http://localhost:1/v1", GENERATOR_API_KEY: "hunter2" }],
    ["SPEECH_URL", "localhost:8880"],
    ["SPEECH_MODEL", "", { SPEECH_URL: "http://localhost:1/v1", SPEECH_VOICE: "alto", SPEECH_API_KEY: "hunter2" }],
    ["SPEECH_VOICE", " ", { SPEECH_URL: "http://localhost:1/v1", SPEECH_MODEL: "s", SPEECH_API_KEY: "hunter2" }],
    ["MEDIA_FOLDER", "./media", bucket],
    ["MEDIA_S3_URL", "s3://media"],
    ["MEDIA_S3_ACCESS_KEY_ID", "", bucket],
    ["MEDIA_S3_SECRET_ACCESS_KEY", "", bucket],
    ["MEDIA_PUBLIC_URL", "cdn.example.com"],
    ["MEDIA_RETRY_SCHEDULE", "soon"],
    ["JWKS_URL", "id.example.com/keys"],
    ["JWKS_URL", "https://u:hunter2@id.example.com/keys"],
    ["JWT_ISSUER", "", { JWKS_URL: "https://id.example.com/keys", JWT_AUDIENCE: "a" }],
    ["JWT_AUDIENCE", " ", { JWKS_URL: "https://id.example.com/keys", JWT_ISSUER: "a" }],
    ["TRUSTED_PROXIES", "10.0.0.0/40"],
    ["WEBHOOK_ALLOW_PRIVATE", "maybe"],
    ["RESPONSE_WINDOW", "48"],
    ["APPROVAL_WINDOW", "0 days"],
    ["LATEST_DEADLINE", "soon"],
    ["DUPLICATE_WINDOW", "-1 hours"],
    ["RESPONSE_WINDOW", "3651 days"],
    ["DUPLICATE_WINDOW", "Infinity"],
    ["CONTENT_MIN_LENGTH", "0"],
    ["CONTENT_MAX_LENGTH", "9"],
    ["GENERATION_RETRY_SCHEDULE", "1 minute, soon"],
    ["GENERATION_RETRY_SCHEDULE", ","],
    ["GENERATION_RETRY_SCHEDULE", "1 minute, 4000 days"],
    ["WORKER_LEASE", "Infinity"],
    ["ADMIN_PORT", "-1"],
    ["LOG_LEVEL", "loud"],
    ["LOG_FORMAT", "xml"],
    ["LOG_REQUESTS", "some"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "grpc"],
    ["OTEL_TRACE_STATEMENTS", "some"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "hunter2"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=hunter2%zz"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "two words=hunter2"]
  ] as ReadonlyArray<[string, string, Record<string, string>?]>) {
    it.effect(`${name}=${value} is refused with one sentence that names the variable and contains no secret`, () =>
      Effect.gen(function* () {
        const message = yield* refusal({ ...rest, [name]: value })
        assert.match(message, new RegExp(`^${name} must [^\n]+\\.$`))
        assert.notInclude(message, "hunter2")
      })
    )
  }

  it.effect(
    "in development audio is stored in the data folder by default, and outside development the settings must select a storage",
    () =>
      Effect.gen(function* () {
        const speech = { SPEECH_URL: "http://localhost:1/v1", SPEECH_MODEL: "s", SPEECH_VOICE: "alto" }
        assert.deepStrictEqual((yield* read({})).media, { speech: Option.none(), storage: Option.none() })
        const folder = Option.some({ kind: "folder", folder: "./data/media" } as const)
        assert.deepStrictEqual((yield* read(speech)).media.storage, folder)
        assert.match(yield* refusal({ ...speech, DEV: "false" }), /^MEDIA_FOLDER or MEDIA_S3_URL must be set [^\n]+\.$/)
        const { media } = yield* read({ ...speech, DEV: "false", MEDIA_FOLDER: "/var/lib/media" })
        assert.deepStrictEqual(media.storage, Option.some({ kind: "folder", folder: "/var/lib/media" } as const))
      })
  )

  it.effect("a minimum length of topics above the default maximum is refused until a maximum is set too", () =>
    Effect.gen(function* () {
      assert.match(yield* refusal({ CONTENT_MIN_LENGTH: "501" }), /^CONTENT_MAX_LENGTH must [^\n]+\.$/)
      const { policy } = yield* read({ CONTENT_MIN_LENGTH: "501", CONTENT_MAX_LENGTH: "501" })
      assert.deepStrictEqual(policy.contentLength, { min: 501, max: 501 })
    })
  )

  it.effect("the default sender is a valid address for every HOST and PUBLIC_URL", () =>
    Effect.gen(function* () {
      for (const env of [{ HOST: "::1" }, { HOST: "0.0.0.0" }, { PUBLIC_URL: "http://[::1]:3000" }]) {
        assert.strictEqual((yield* read(env)).mail.from, "Partner Commentary <commentary@localhost>")
      }
      const { mail } = yield* read({ PUBLIC_URL: "https://desk.example.com" })
      assert.strictEqual(mail.from, "Partner Commentary <commentary@desk.example.com>")
    })
  )

  it.effect("outside development, `serve` requires a mail server and a signing secret", () =>
    Effect.gen(function* () {
      const missing = (env: Record<string, string>) =>
        Effect.map(Effect.flip(Effect.flatMap(read(env), Settings.requireServiceSettings)), ({ name }) => name)
      assert.strictEqual(yield* missing({ DEV: "false" }), "SMTP_URL")
      assert.strictEqual(yield* missing({ DEV: "false", SMTP_URL: "smtp://localhost" }), "SIGNING_SECRET")
    })
  )

  it.effect("a variable without the variable that it depends on causes a warning without its value", () =>
    Effect.gen(function* () {
      const warnings = (env: Record<string, string>) =>
        Effect.map(read({ SIGNING_SECRET: "x".repeat(32), ...env }), ConfigSummary.listSettingWarnings)
      assert.deepStrictEqual(yield* warnings({ GENERATOR_API_KEY: "hunter2" }), [
        "GENERATOR_API_KEY has no effect because GENERATOR_URL is unset: drafts come from the local generator"
      ])
      assert.deepStrictEqual(yield* warnings({ GENERATOR_API_KEY: "hunter2", GENERATOR_MODEL: "m" }), [
        "GENERATOR_API_KEY, GENERATOR_MODEL have no effect because GENERATOR_URL is unset: drafts come from the local generator"
      ])
      assert.deepStrictEqual(
        yield* warnings({ ...bucket, MEDIA_S3_URL: "", SPEECH_VOICE: "v", JWT_ISSUER: "i", JWT_AUDIENCE: "a" }),
        [
          "SPEECH_VOICE has no effect because SPEECH_URL is unset: the service makes no audio",
          "MEDIA_S3_ACCESS_KEY_ID, MEDIA_S3_SECRET_ACCESS_KEY have no effect because MEDIA_S3_URL is unset: no bucket stores audio",
          "JWT_ISSUER, JWT_AUDIENCE have no effect because JWKS_URL is unset: no identity provider verifies dashboard tokens"
        ]
      )
      assert.deepStrictEqual(yield* warnings({ GENERATOR_URL: "https://g.example.com/v1", GENERATOR_MODEL: "m" }), [])
      assert.deepStrictEqual(yield* warnings(bucket), [])
    })
  )
})
