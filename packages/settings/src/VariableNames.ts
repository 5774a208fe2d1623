/** Lists the environment variables of the service, and finds variables whose names are probably misspelt. */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"

const variableNames = [
  "HOST",
  "PORT",
  "PUBLIC_URL",
  "DEV",
  "PROCESSES",
  "KEEP_ALIVE_TIMEOUT",
  "TRUSTED_PROXIES",
  "ADMIN_HOST",
  "ADMIN_PORT",
  "DATABASE_URL",
  "DATABASE_DIRECT_URL",
  "DATABASE_POOL_SIZE",
  "PGPASSWORD",
  "SMTP_URL",
  "SMTP_CONNECTIONS",
  "MAIL_FROM",
  "SIGNING_SECRET",
  "JWKS_URL",
  "JWT_ISSUER",
  "JWT_AUDIENCE",
  "JWT_ORG_CLAIM",
  "GENERATOR_URL",
  "GENERATOR_API_KEY",
  "GENERATOR_MODEL",
  "GENERATION_RETRY_SCHEDULE",
  "SPEECH_URL",
  "SPEECH_API_KEY",
  "SPEECH_MODEL",
  "SPEECH_VOICE",
  "MEDIA_FOLDER",
  "MEDIA_S3_URL",
  "MEDIA_S3_ACCESS_KEY_ID",
  "MEDIA_S3_SECRET_ACCESS_KEY",
  "MEDIA_S3_SESSION_TOKEN",
  "MEDIA_S3_REGION",
  "MEDIA_PUBLIC_URL",
  "MEDIA_RETRY_SCHEDULE",
  "WEBHOOK_TIMEOUT",
  "WEBHOOK_RETRY_SCHEDULE",
  "WEBHOOK_DISABLE_FAILURES",
  "WEBHOOK_DISABLE_AFTER",
  "WEBHOOK_DISABLE_EVENTS",
  "WEBHOOK_SOURCES",
  "WEBHOOK_ALLOW_PRIVATE",
  "RESPONSE_WINDOW",
  "LATEST_DEADLINE",
  "APPROVAL_WINDOW",
  "DUPLICATE_WINDOW",
  "CONTENT_MIN_LENGTH",
  "CONTENT_MAX_LENGTH",
  "TEST_RETENTION",
  "TEST_MAX_TOPICS",
  "TEST_MAX_MEGABYTES",
  "WORKER_LEASE",
  "WORKER_POLL_INTERVAL",
  "LOG_LEVEL",
  "LOG_FORMAT",
  "LOG_REQUESTS",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_TRACE_STATEMENTS"
] as const

export type VariableName = (typeof variableNames)[number]

export interface MisspeltVariable {
  readonly name: string
  /** The variable that the operator probably meant. */
  readonly meant: VariableName
}

/** A name of at least this length may differ in two characters. */
const longName = 12

/** Shorter names are never suggested, because unrelated programs have variables such as HOME and POST. */
const shortestName = 8

/**
 * Finds variables whose names are almost the names of unset variables. Another program may use a similar name, so the
 * variables are not refused.
 */
const findMisspeltVariables = (names: ReadonlyArray<string>): ReadonlyArray<MisspeltVariable> => {
  const set = new Set(names)
  const unset = variableNames.filter((known) => known.length >= shortestName && !set.has(known))
  const isKnown = new Set<string>(variableNames)
  return names
    .filter((name) => !isKnown.has(name))
    .flatMap((name) => {
      const meant = unset.find((known) => isSimilar(name.toUpperCase(), known, known.length >= longName ? 2 : 1))
      return meant === undefined ? [] : [{ name, meant }]
    })
}

/** Returns whether `edits` omissions, insertions, replacements and swaps of neighbours turn one text into the other. */
const isSimilar = (one: string, other: string, edits: number): boolean => {
  if (one === other) return true
  if (edits === 0 || Math.abs(one.length - other.length) > edits) return false
  let same = 0
  while (one[same] === other[same]) same++
  const [a, b] = [one.slice(same), other.slice(same)]
  return (
    isSimilar(a.slice(1), b, edits - 1) ||
    isSimilar(a, b.slice(1), edits - 1) ||
    isSimilar(a.slice(1), b.slice(1), edits - 1) ||
    (a[0] === b[1] && a[1] === b[0] && isSimilar(a.slice(2), b.slice(2), edits - 1))
  )
}

export const readMisspeltVariables: Effect.Effect<ReadonlyArray<MisspeltVariable>> = Effect.gen(function* () {
  const provider = yield* ConfigProvider.ConfigProvider
  return findMisspeltVariables(yield* listNames(provider, []))
})

/** Lists the names below a path. Effect splits the names of environment variables at each `_`. */
const listNames = (
  provider: ConfigProvider.ConfigProvider,
  path: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const node = yield* Effect.orElseSucceed(provider.load(path), () => undefined)
    const own = node?.value === undefined ? [] : [path.join("_")]
    if (node?._tag !== "Record") return own
    const below = yield* Effect.forEach(node.keys, (key) => listNames(provider, [...path, key]))
    return [...own, ...below.flat()]
  })
