/**
 * The default folder for the database, the signing secret, mails and media. The data folder is readable only for its
 * owner, and is created when the first file is stored.
 */
import { randomBytes, randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { chmod, mkdir, open, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { isPostgresSettings } from "@partner-commentary/settings/DatabaseSettings"
import { defaultDataFolder, type Settings, type SigningSecretList } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { CommandFailed } from "../cli/CommandFailed.ts"
import * as NewFile from "./NewFile.ts"

/** Creates the data folder with mode 700, or changes the mode of an existing data folder to 700. */
export const createDataFolder = Effect.tryPromise({
  try: () =>
    mkdir(defaultDataFolder, { recursive: true, mode: 0o700 }).then(() =>
      chmod(defaultDataFolder, 0o700).catch(() => {})
    ),
  catch: (cause) => makeCommandFailure(`The folder ${defaultDataFolder} cannot be created`, cause)
})

/** Creates the data folder if the settings place the database in this folder. */
export const createDataFolderForDatabase = (settings: Settings) =>
  isPostgresSettings(settings.database) ? Effect.void : createDataFolderIfParentOf(settings.database.filename)

/** Creates the data folder if the file `path` is directly in this folder. */
export const createDataFolderIfParentOf = (path: string) =>
  resolve(dirname(path)) === resolve(defaultDataFolder) ? createDataFolder : Effect.void

export const outboxFolder = join(defaultDataFolder, "outbox")

/**
 * Returns the configured secrets, or the secret in the data folder. If the folder contains no secret, the function
 * generates a secret.
 */
export const loadOrCreateSecrets = (settings: Settings): Effect.Effect<SigningSecretList, CommandFailed> =>
  Option.match(settings.signingSecrets, {
    onSome: Effect.succeed,
    onNone: () => Effect.map(Effect.andThen(createDataFolder, keptSecret), (secret) => [Redacted.make(secret)] as const)
  })

/**
 * Returns the configured secrets or the secret in the data folder, but generates no file. If the secret is missing, the
 * result is a random secret that decrypts nothing.
 */
export const loadExistingSecrets = (settings: Settings): Effect.Effect<SigningSecretList, CommandFailed> =>
  Option.isSome(settings.signingSecrets) || existsSync(secretFile)
    ? loadOrCreateSecrets(settings)
    : Effect.sync(() => [Redacted.make(randomUUID())] as const)

const secretFile = join(defaultDataFolder, "signing-secret")

const keptSecret = Effect.gen(function* () {
  const secret = yield* Effect.tryPromise({
    try: () => readSecret().catch(whenMissing(() => makeSecret().then(readSecret))),
    catch: (cause) => makeCommandFailure(`The signing secret in ${secretFile} cannot be kept`, cause)
  })
  if (secret.trim().length < 32) {
    return yield* new CommandFailed({
      message: `The signing secret in ${secretFile} is damaged: restore it, or delete it, which invalidates all links in mails.`
    })
  }
  return secret.trim()
})

const readSecret = () => NewFile.readFileWhenNonEmpty(secretFile)

/** If two processes start at the same time, both use the secret of the first process. */
const makeSecret = async () => {
  const unfinished = join(defaultDataFolder, `.${randomUUID()}`)
  const file = await open(unfinished, "wx", 0o600)
  try {
    await file.writeFile(`${randomBytes(32).toString("base64url")}\n`)
    await file.sync()
    await NewFile.renameWithoutReplacing(unfinished, secretFile).catch((error) => {
      if (error.code !== "EEXIST") throw error
    })
  } finally {
    await file.close()
    await rm(unfinished, { force: true })
  }
}

const whenMissing =
  <A>(otherwise: () => Promise<A>) =>
  (error: NodeJS.ErrnoException): Promise<A> =>
    error.code === "ENOENT" ? otherwise() : Promise.reject(error)

const makeCommandFailure = (what: string, cause: unknown) =>
  new CommandFailed({ message: `${what}: ${(cause as Error).message}.` })
