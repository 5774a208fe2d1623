/**
 * Reads the database settings: a SQLite file or a Postgres server. For a Postgres address, this module loads the
 * Postgres adapter, and the adapter validates the address.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Parser from "./Parser.ts"
import * as Variable from "./Variable.ts"
import { InvalidSetting } from "./Variable.ts"

export type DatabaseSettings = SqliteSettings | PostgresSettings

export interface SqliteSettings {
  readonly filename: string
  /** True when the environment variable DATABASE_URL is unset. */
  readonly isDefault: boolean
}

export interface PostgresSettings {
  readonly url: Redacted.Redacted
  /** The address of the server itself, for connections that must bypass a connection pooler. */
  readonly directUrl: Option.Option<Redacted.Redacted>
  /** The maximum number of database connections of a process. */
  readonly poolSize: number
  /** The host, the port and the database name for messages, without credentials. */
  readonly told: string
  readonly isDefault: false
}

export const isPostgresSettings = (database: DatabaseSettings): database is PostgresSettings => "url" in database

/** Returns the name of the database for messages, without credentials. */
export const formatDatabaseName = (database: DatabaseSettings): string =>
  isPostgresSettings(database) ? database.told : database.filename

/** Returns the connection options of the Postgres adapter. */
export const toPostgresOptions = ({ directUrl, poolSize, url }: PostgresSettings) => ({
  url,
  directUrl: Option.getOrUndefined(directUrl),
  poolSize
})

export const readDatabaseSettings = (fallback: string): Effect.Effect<DatabaseSettings, InvalidSetting> =>
  Effect.gen(function* () {
    const url = yield* Variable.readText("DATABASE_URL")
    const direct = yield* Variable.readText("DATABASE_DIRECT_URL")
    const poolSize = yield* Variable.readWithDefault("DATABASE_POOL_SIZE", Parser.makeIntegerParser(2, 1000), 10)
    if (Option.isSome(url) && /^postgres(ql)?:/i.test(url.value)) {
      const { told } = yield* address("DATABASE_URL", url.value)
      if (Option.isSome(direct)) yield* address("DATABASE_DIRECT_URL", direct.value)
      const password = yield* Variable.readText("PGPASSWORD")
      const directUrl = Option.map(direct, (text) => withPassword(text, password))
      return { url: withPassword(url.value, password), directUrl, poolSize, told, isDefault: false }
    }
    if (Option.isSome(direct)) {
      return yield* refuse("DATABASE_DIRECT_URL", "must be unset unless DATABASE_URL is a Postgres address")
    }
    if (Option.isNone(url)) return { filename: fallback, isDefault: true }
    const filename = /^sqlite:(.+)$/i.exec(url.value)?.[1]
    return filename === undefined
      ? yield* refuse(
          "DATABASE_URL",
          "must be sqlite:PATH, sqlite::memory: or postgres://USER:PASSWORD@HOST:PORT/DATABASE"
        )
      : { filename, isDefault: false }
  })

const address = (name: string, text: string) =>
  Effect.flatMap(
    Effect.promise(() => import("@partner-commentary/postgres/PostgresUrl")),
    ({ parsePostgresUrl: parse }) =>
      Result.match(parse(Redacted.make(text)), {
        onFailure: ({ reason }) => refuse(name, reason),
        onSuccess: Effect.succeed
      })
  )

/**
 * Adds PGPASSWORD when the address has no password, as libpq does. The password becomes a query parameter, because an
 * address without a host has no other place for the password.
 */
const withPassword = (text: string, password: Option.Option<string>) => {
  const url = new URL(text)
  if (Option.isNone(password) || url.password !== "" || url.searchParams.has("password")) return Redacted.make(text)
  url.searchParams.set("password", password.value)
  return Redacted.make(url.href)
}

const refuse = (name: string, reason: string) => Effect.fail(new InvalidSetting({ name, reason }))
