/** Reads all settings from the environment once. The service does not start with an invalid setting. */
import type * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import { formatHttpAddress, isLoopbackHost, isWildcardHost } from "@partner-commentary/core/shared/Loopback"
import * as Policy from "@partner-commentary/core/shared/Policy"
import { isWeakSecret } from "@partner-commentary/core/shared/SigningSecrets"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as DatabaseSettings from "./DatabaseSettings.ts"
import * as IdentityProviderSettings from "./IdentityProviderSettings.ts"
import { findIgnoredVariables, type IgnoredVariables } from "./IgnoredVariables.ts"
import * as MailSettings from "./MailSettings.ts"
import * as MediaSettings from "./MediaSettings.ts"
import * as Parser from "./Parser.ts"
import * as Variable from "./Variable.ts"
import { InvalidSetting } from "./Variable.ts"
import * as VariableNames from "./VariableNames.ts"

export interface Settings {
  readonly listen: {
    readonly host: string
    readonly port: number
    /** The duration for which an idle connection stays open. */
    readonly keepAlive: Duration.Duration
  }
  /** The number of server processes that share the port; none if the host chooses the number. */
  readonly processes: Option.Option<number>
  /**
   * The public URL without a trailing slash. Without a public URL, links start with the address on which the service
   * listens.
   */
  readonly publicUrl: Option.Option<string>
  readonly development: boolean
  readonly database: DatabaseSettings.DatabaseSettings
  readonly mail: MailSettings.MailSettings
  /**
   * The secrets that sign links; none if `SIGNING_SECRET` is unset. If the secret is unset in development, the service
   * generates and stores a secret.
   */
  readonly signingSecrets: Option.Option<SigningSecretList>
  /** The generator's server; none when the service uses the local generator. */
  readonly generator: Option.Option<GeneratorSettings>
  /**
   * The identity provider of dashboard tokens. Without an identity provider, the service uses the local identity
   * provider in development, and rejects every token outside development.
   */
  readonly identity: Option.Option<IdentityProviderSettings.IdentityProviderSettings>
  readonly media: MediaSettings.MediaSettings
  readonly trustedProxies: IpAllowList.IpAllowList
  readonly webhooks: {
    /** True if webhook receivers may have `http:`, private or loopback addresses. */
    readonly allowPrivate: boolean
  }
  readonly policy: Policy.Policy
  /** The fields of `WorkerSettings` that a variable sets. The Node host passes all of them on. */
  readonly workers: { readonly pollInterval: Duration.Duration }
  /** The address of a separate listener for health checks and metrics. */
  readonly admin: { readonly host: string; readonly port: Option.Option<number> }
  readonly log: {
    readonly level: Option.Option<LogLevel>
    readonly format: Option.Option<"pretty" | "json">
    /** True if the service writes one log line for each request. */
    readonly requests: boolean
  }
  readonly otlp: Option.Option<OtlpSettings>
  /** Variables that the service ignores because their names are probably misspelt. */
  readonly misspelt: ReadonlyArray<VariableNames.MisspeltVariable>
  /** The variables that have no effect because another variable is unset. */
  readonly ignored: ReadonlyArray<IgnoredVariables>
}

export interface OtlpSettings {
  readonly url: string
  /** The headers of exported telemetry. Telemetry headers usually contain credentials. */
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  /** True if database statements have trace spans. */
  readonly statements: boolean
}

export interface GeneratorSettings {
  readonly url: string
  readonly apiKey: Option.Option<Redacted.Redacted<string>>
  readonly model: string
}

/** A list of signing secrets. The first secret signs, and all secrets verify. */
export type SigningSecretList = readonly [Redacted.Redacted<string>, ...ReadonlyArray<Redacted.Redacted<string>>]

const logLevels = ["all", "trace", "debug", "info", "warn", "warning", "error", "fatal", "none"] as const
export type LogLevel = (typeof logLevels)[number]

/**
 * The folder of the default database, the outbox and the signing secret. The path of the data folder is relative to the
 * working directory.
 */
export const defaultDataFolder = "./data"

const defaultPort = 8080

/** Parses the number of server processes that share a port. */
export const processCountParser = Parser.makeIntegerParser(1, 256)

/**
 * By default, an idle connection stays open longer than the idle timeout of common load balancers (60 seconds). With a
 * shorter duration, load balancers would reuse connections that the service is closing.
 */
export const defaultKeepAlive = Duration.seconds(65)

export const readSettings: Effect.Effect<Settings, InvalidSetting> = Effect.gen(function* () {
  const host = Option.getOrElse(yield* Variable.readText("HOST"), () => "127.0.0.1")
  const port = yield* Variable.readWithDefault("PORT", Parser.portParser, defaultPort)
  const keepAlive = yield* Variable.readWithDefault("KEEP_ALIVE_TIMEOUT", Parser.durationParser, defaultKeepAlive)
  const processes = yield* Variable.readOptional("PROCESSES", processCountParser)
  const publicUrl = yield* Variable.readOptional("PUBLIC_URL", Parser.publicAddressParser)
  const database = yield* DatabaseSettings.readDatabaseSettings(`${defaultDataFolder}/partner-commentary.db`)
  const allowPrivate = yield* Variable.readWithDefault("WEBHOOK_ALLOW_PRIVATE", Parser.booleanParser, false)
  const publicHost = Option.match(publicUrl, { onNone: () => host, onSome: (url) => new URL(url).hostname })
  const development = yield* Variable.readWithDefault(
    "DEV",
    Parser.booleanParser,
    database.isDefault && isLoopbackHost(publicHost)
  )
  return {
    listen: { host, port, keepAlive },
    processes,
    publicUrl,
    development,
    database,
    // The mail domain falls back to `localhost`, because a mail address cannot have an IPv6 address as its domain.
    mail: yield* MailSettings.readMailSettings(
      isWildcardHost(publicHost) || publicHost.includes(":") ? "localhost" : publicHost
    ),
    signingSecrets: yield* readSigningSecrets,
    generator: yield* readGenerator,
    identity: yield* IdentityProviderSettings.readIdentityProviderSettings,
    media: yield* MediaSettings.readMediaSettings(
      development ? Option.some(`${defaultDataFolder}/media`) : Option.none()
    ),
    trustedProxies: yield* Variable.readWithDefault("TRUSTED_PROXIES", Parser.ipAllowListParser, []),
    webhooks: { allowPrivate },
    policy: yield* readPolicy(allowPrivate),
    workers: {
      pollInterval: yield* Variable.readWithDefault("WORKER_POLL_INTERVAL", Parser.durationParser, Duration.seconds(1))
    },
    admin: {
      host: Option.getOrElse(yield* Variable.readText("ADMIN_HOST"), () => "127.0.0.1"),
      port: yield* Variable.readOptional("ADMIN_PORT", Parser.portParser)
    },
    log: {
      level: yield* Variable.readOptional("LOG_LEVEL", Parser.makeOneOfParser(logLevels)),
      format: yield* Variable.readOptional("LOG_FORMAT", Parser.makeOneOfParser(["pretty", "json"])),
      requests: yield* Variable.readWithDefault("LOG_REQUESTS", Parser.booleanParser, false)
    },
    otlp: yield* readOtlp,
    misspelt: yield* VariableNames.readMisspeltVariables,
    ignored: yield* findIgnoredVariables
  }
})

/** Checks the settings that only the commands `serve` and `worker` need. */
export const requireServiceSettings = (settings: Settings): Effect.Effect<void, InvalidSetting> => {
  if (settings.development) return Effect.void
  if (Option.isNone(settings.mail.server)) {
    return refuse("SMTP_URL", "must be set outside development: smtp://user:password@host:port")
  }
  return requireSigningSecret(settings)
}

/**
 * Rejects the default database outside development. If the default database were allowed, a command with an incomplete
 * environment could silently change the wrong database.
 */
export const requireExplicitDatabase = ({ database, development }: Settings): Effect.Effect<void, InvalidSetting> =>
  database.isDefault && !development
    ? refuse(
        "DATABASE_URL",
        `must be set outside development, or a command would work on ${DatabaseSettings.formatDatabaseName(database)}: give it the service's environment`
      )
    : Effect.void

/** Requires a signing secret outside development, because the service generates a secret only in development. */
export const requireSigningSecret = (settings: Settings): Effect.Effect<void, InvalidSetting> =>
  settings.development || Option.isSome(settings.signingSecrets)
    ? Effect.void
    : refuse("SIGNING_SECRET", "must be set outside development: a long random text, the same for every process")

/**
 * Returns `{api_root}`: the public URL, or the listening address if no public URL is set. The caller passes the actual
 * port, because the configured port may be 0.
 */
export const findApiRoot = (settings: Settings, port: number): string =>
  Option.getOrElse(settings.publicUrl, () => formatHttpAddress(settings.listen.host, port))

const refuse = (name: string, reason: string) => Effect.fail(new InvalidSetting({ name, reason }))

export const hasWeakSigningSecret = ({ signingSecrets }: Settings): boolean =>
  Option.exists(signingSecrets, (secrets) => secrets.some(isWeakSecret))

/**
 * Returns whether webhooks may reach private addresses outside development. A webhook to a private address allows a
 * partner to scan the private network.
 */
export const allowsPrivateWebhookReceivers = ({ development, webhooks }: Settings): boolean =>
  webhooks.allowPrivate && !development

const readSigningSecrets = Effect.gen(function* () {
  const list = yield* Variable.readText("SIGNING_SECRET")
  if (Option.isNone(list)) return Option.none()
  const [first, ...others] = list.value.split(",").map((secret) => secret.trim())
  if (first === undefined || first === "" || others.includes("")) {
    return yield* refuse("SIGNING_SECRET", "must be a list of secrets separated by commas, none of them empty")
  }
  return Option.some<SigningSecretList>([Redacted.make(first), ...others.map((secret) => Redacted.make(secret))])
})

const readOtlp = Effect.gen(function* () {
  const url = yield* Variable.readOptional("OTEL_EXPORTER_OTLP_ENDPOINT", Parser.baseUrlParser)
  const headers = yield* Variable.readWithDefault("OTEL_EXPORTER_OTLP_HEADERS", Parser.otlpHeadersParser, {})
  const statements = yield* Variable.readWithDefault("OTEL_TRACE_STATEMENTS", Parser.booleanParser, false)
  return Option.map(url, (at): OtlpSettings => ({ url: at, headers: Redacted.make(headers), statements }))
})

const readGenerator = Effect.gen(function* () {
  const url = yield* Variable.readOptional("GENERATOR_URL", Parser.baseUrlParser)
  const apiKey = Option.map(yield* Variable.readText("GENERATOR_API_KEY"), (key) => Redacted.make(key))
  const model = yield* Variable.readText("GENERATOR_MODEL")
  if (Option.isNone(url)) return Option.none()
  if (Option.isNone(model)) {
    return yield* refuse("GENERATOR_MODEL", "must name a model of the server that GENERATOR_URL points at")
  }
  return Option.some({ url: url.value, apiKey, model: model.value })
})

const megabyte = 1_000_000
const testMegabytes = Policy.defaults.testStorage.bytes / megabyte

const readPolicy = Effect.fnUntraced(function* (allowHttp: boolean) {
  const { defaults } = Policy
  const longest = 10_000
  const bound = Parser.makeIntegerParser(1, longest)
  const min = yield* Variable.readWithDefault("CONTENT_MIN_LENGTH", bound, defaults.contentLength.min)
  const max = yield* Variable.readWithDefault("CONTENT_MAX_LENGTH", bound, defaults.contentLength.max)
  if (max < min) {
    return yield* refuse("CONTENT_MAX_LENGTH", `must be a whole number from CONTENT_MIN_LENGTH (${min}) to ${longest}`)
  }
  const { readWithDefault: withDefault } = Variable
  const count = Parser.makeIntegerParser(1, 1000)
  return {
    ...defaults,
    contentLength: { min, max },
    responseWindow: yield* withDefault("RESPONSE_WINDOW", Parser.durationParser, defaults.responseWindow),
    deadlineRange: {
      ...defaults.deadlineRange,
      max: yield* withDefault("LATEST_DEADLINE", Parser.durationParser, defaults.deadlineRange.max)
    },
    approvalWindow: yield* withDefault("APPROVAL_WINDOW", Parser.durationParser, defaults.approvalWindow),
    duplicateWindow: yield* withDefault("DUPLICATE_WINDOW", Parser.durationParser, defaults.duplicateWindow),
    generationRetries: yield* withDefault(
      "GENERATION_RETRY_SCHEDULE",
      Parser.durationListParser,
      defaults.generationRetries
    ),
    mediaRetries: yield* withDefault("MEDIA_RETRY_SCHEDULE", Parser.durationListParser, defaults.mediaRetries),
    webhooks: {
      ...defaults.webhooks,
      allowHttp,
      sources: yield* withDefault("WEBHOOK_SOURCES", Parser.networkListParser, defaults.webhooks.sources),
      timeout: yield* withDefault("WEBHOOK_TIMEOUT", Parser.durationParser, defaults.webhooks.timeout),
      retries: yield* withDefault("WEBHOOK_RETRY_SCHEDULE", Parser.durationListParser, defaults.webhooks.retries),
      disableFailures: yield* withDefault("WEBHOOK_DISABLE_FAILURES", count, defaults.webhooks.disableFailures),
      disableAfter: yield* withDefault("WEBHOOK_DISABLE_AFTER", Parser.durationParser, defaults.webhooks.disableAfter),
      disableEvents: yield* withDefault("WEBHOOK_DISABLE_EVENTS", count, defaults.webhooks.disableEvents)
    },
    lease: yield* withDefault("WORKER_LEASE", Parser.durationParser, defaults.lease),
    testRetention: yield* withDefault("TEST_RETENTION", Parser.durationParser, defaults.testRetention),
    testStorage: {
      topics: yield* withDefault(
        "TEST_MAX_TOPICS",
        Parser.makeIntegerParser(1, 10_000_000),
        defaults.testStorage.topics
      ),
      bytes:
        megabyte * (yield* withDefault("TEST_MAX_MEGABYTES", Parser.makeIntegerParser(1, 1_000_000), testMegabytes))
    }
  }
})
