/** Reads the audio settings: the speech server from `SPEECH_…` variables, and the storage from `MEDIA_…` variables. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Parser from "./Parser.ts"
import * as Variable from "./Variable.ts"
import { InvalidSetting } from "./Variable.ts"
import type { VariableName } from "./VariableNames.ts"

export interface MediaSettings {
  /** The speech server; none when the service makes no audio. */
  readonly speech: Option.Option<SpeechSettings>
  /** The storage of audio files. `storage` is always set if the service makes audio. */
  readonly storage: Option.Option<MediaFolderSettings | MediaBucketSettings>
}

export interface SpeechSettings {
  readonly url: string
  readonly apiKey: Option.Option<Redacted.Redacted<string>>
  readonly model: string
  readonly voice: string
}

export interface MediaFolderSettings {
  readonly kind: "folder"
  readonly folder: string
}

export interface MediaBucketSettings {
  readonly kind: "bucket"
  readonly url: string
  readonly publicUrl: Option.Option<string>
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
  readonly sessionToken: Option.Option<Redacted.Redacted<string>>
}

/** Reads the audio settings. `fallback` is the default storage folder in development. */
export const readMediaSettings = Effect.fnUntraced(function* (fallback: Option.Option<string>) {
  const speech = yield* readSpeech
  const folder = yield* Variable.readText("MEDIA_FOLDER")
  const bucket = yield* readBucket
  if (Option.isSome(folder) && Option.isSome(bucket)) {
    return yield* refuse("MEDIA_FOLDER", "must not be set together with MEDIA_S3_URL: media are stored in one place")
  }
  const chosen = Option.orElse(folder, () => (Option.isSome(speech) ? fallback : Option.none<string>()))
  const storage = Option.orElse(bucket, () =>
    Option.map(chosen, (folder): MediaFolderSettings => ({ kind: "folder", folder }))
  )
  if (Option.isSome(speech) && Option.isNone(storage)) {
    return yield* refuse("MEDIA_FOLDER", "or MEDIA_S3_URL must be set if SPEECH_URL is set, outside development")
  }
  return { speech, storage } satisfies MediaSettings
})

const readSpeech = Effect.gen(function* () {
  const url = yield* Variable.readOptional("SPEECH_URL", Parser.baseUrlParser)
  const apiKey = Option.map(yield* Variable.readText("SPEECH_API_KEY"), (key) => Redacted.make(key))
  if (Option.isNone(url)) return Option.none<SpeechSettings>()
  const model = yield* readRequiredText("SPEECH_MODEL", "must name a model of the server that SPEECH_URL points at")
  const voice = yield* readRequiredText("SPEECH_VOICE", "must name a voice of the server that SPEECH_URL points at")
  return Option.some<SpeechSettings>({ url: url.value, apiKey, model, voice })
})

const readBucket = Effect.gen(function* () {
  const url = yield* Variable.readOptional("MEDIA_S3_URL", Parser.baseUrlParser)
  const publicUrl = yield* Variable.readOptional("MEDIA_PUBLIC_URL", Parser.baseUrlParser)
  if (Option.isNone(url)) return Option.none<MediaBucketSettings>()
  const why = "must be set where MEDIA_S3_URL is"
  return Option.some<MediaBucketSettings>({
    kind: "bucket",
    url: url.value,
    publicUrl,
    region: Option.getOrElse(yield* Variable.readText("MEDIA_S3_REGION"), () => "us-east-1"),
    accessKeyId: yield* readRequiredText("MEDIA_S3_ACCESS_KEY_ID", why),
    secretAccessKey: Redacted.make(yield* readRequiredText("MEDIA_S3_SECRET_ACCESS_KEY", why)),
    sessionToken: Option.map(yield* Variable.readText("MEDIA_S3_SESSION_TOKEN"), (token) => Redacted.make(token))
  })
})

const readRequiredText = (name: VariableName, reason: string) =>
  Effect.flatMap(
    Variable.readText(name),
    Option.match({ onNone: () => refuse(name, reason), onSome: (value) => Effect.succeed(value) })
  )

const refuse = (name: string, reason: string) => Effect.fail(new InvalidSetting({ name, reason }))
