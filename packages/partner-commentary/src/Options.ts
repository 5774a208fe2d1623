/** Defines the options of `partnerCommentary`. Each port accepts plain values, functions, or an Effect layer. */
import type { DashboardTokenVerifier } from "@partner-commentary/core/access/DashboardTokenVerifier"
import * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import type { CommentaryGenerator } from "@partner-commentary/core/commentary/CommentaryGenerator"
import type { Mailer } from "@partner-commentary/core/mail/Mailer"
import type { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import type { PersonaStore } from "@partner-commentary/core/persona/PersonaStore"
import { isLoopbackHost } from "@partner-commentary/core/shared/Loopback"
import * as Policy from "@partner-commentary/core/shared/Policy"
import * as PublicAddress from "@partner-commentary/core/shared/PublicAddress"
import type { WebhookTransport } from "@partner-commentary/core/webhook/WebhookTransport"
import {
  isText,
  makeOptionalOption,
  makeRequiredOptionSchema,
  makeSchemaRule,
  makeStructOption,
  makeTextOption,
  type OptionSchemas,
  optionalBooleanOption,
  strictParseOptions
} from "@partner-commentary/server/embedding/OptionRules"
import * as PartialSettings from "@partner-commentary/server/embedding/PartialSettings"
import { convertSchemaIssueToProblems } from "@partner-commentary/server/http/Body"
import { WorkerSettings } from "@partner-commentary/server/workers/WorkerSettings"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Database } from "./Database.ts"
import { type HostLogger, isHostLogger } from "./Log.ts"
import { makeInvalidOptionError, type PartnerCommentaryError } from "./PartnerCommentaryError.ts"
import type { GenerateCommentary } from "./ports/GeneratorFunction.ts"
import type { IdentifyCaller } from "./ports/IdentityFunction.ts"
import type { SendMail } from "./ports/MailFunction.ts"
import type { StoreMediaFile, SynthesizeSpeech } from "./ports/MediaFunctions.ts"
import type { OrganizationReader } from "./ports/OrganizationFunctions.ts"
import type { PersonaReader } from "./ports/PersonaFunctions.ts"

export interface Options {
  /**
   * The URL at which partners and creators reach the service. Every link in a mail starts with the option `url`. The
   * service is mounted at the path of the option `url`.
   */
  readonly url: string
  /**
   * The secret that signs creators' links. The secret has at least 32 characters and must be the same in every process.
   * In a list of secrets, the first secret signs and all secrets verify.
   */
  readonly secret: string | ReadonlyArray<string> | undefined
  /**
   * True allows defaults that are suitable only for development on this machine. By default, `development` is true if
   * `url` leads to this machine.
   */
  readonly development?: boolean | undefined
  /**
   * The database, which the function `sqlite` or `postgres` returns, for example `sqlite("commentary.db")`. The default
   * in development is the SQLite file `commentary.db`.
   */
  readonly database?: Database | undefined
  /** Sends mails. In development, mails are by default written as files into the folder `commentary-outbox`. */
  readonly mail?: SendMail | { readonly outbox: string } | Layer.Layer<Mailer, unknown> | undefined
  /**
   * Generates drafts of commentaries: a function, or an OpenAI-compatible server. The default in development is the
   * local generator.
   */
  readonly generator?: GenerateCommentary | OpenAiServer | Layer.Layer<CommentaryGenerator, unknown> | undefined
  /** Synthesizes speech from an approved commentary. Without the option `speech`, the service makes no audio. */
  readonly speech?:
    | SynthesizeSpeech
    | (OpenAiServer & { readonly voice: string })
    | Layer.Layer<never, unknown>
    | undefined
  /** Stores audio files for partners: a function, or a folder whose files you serve at `url`. */
  readonly mediaStorage?:
    | StoreMediaFile
    | { readonly folder: string; readonly url: string }
    | Layer.Layer<never, unknown>
    | undefined
  /**
   * Verifies tokens of your dashboard and returns the organization of a token: a function, or the published keys of an
   * identity provider. Without the option `identity`, every dashboard token is rejected.
   */
  readonly identity?: IdentifyCaller | IdentityProvider | Layer.Layer<DashboardTokenVerifier, unknown> | undefined
  /** Reads personas and licences from your own database tables. */
  readonly personas?: PersonaReader | Layer.Layer<PersonaStore, unknown, SqlClient.SqlClient> | undefined
  /** Reads partners from your own database tables. */
  readonly organizations?: OrganizationReader | Layer.Layer<OrganizationStore, unknown, SqlClient.SqlClient> | undefined
  readonly webhooks?:
    | {
        /** If true, webhooks may also use `http:` URLs and receivers in private networks, for development. */
        readonly allowPrivate?: boolean | undefined
      }
    | Layer.Layer<WebhookTransport, unknown>
    | undefined
  /** The logger: `console`, pino, winston, or an Effect logger. */
  readonly logger?: HostLogger | Logger.Logger<unknown, unknown> | undefined
  /** Overrides for the default time windows, limits and schedules, for example `{ responseWindow: "72 hours" }`. */
  readonly policy?: PartialSettings.SettingsOverrides<Policy.Policy> | undefined
  /**
   * False if another process runs the workers. If this process runs the workers, true or settings that override the
   * default worker settings.
   */
  readonly workers?: boolean | PartialSettings.SettingsOverrides<Effect.Success<typeof WorkerSettings>> | undefined
  /** The addresses and networks of proxies whose `X-Forwarded-For` header is trusted, for example `["10.0.0.0/8"]`. */
  readonly trustedProxies?: ReadonlyArray<string> | undefined
}

export interface OpenAiServer {
  /** The URL of the server with the API version, such as `https://api.openai.com/v1`. */
  readonly url: string
  readonly model: string
  readonly apiKey?: string | undefined
}

export interface IdentityProvider {
  readonly jwksUrl: string
  readonly issuer: string
  readonly audience: string
  /** The token claim that identifies the organization, by default `org_id`. */
  readonly organizationClaim?: string | undefined
}

/** The validated options, with the values that are derived from them and from defaults. */
export interface DecodedOptions extends Options {
  readonly apiRoot: string
  readonly secrets: readonly [string, ...ReadonlyArray<string>]
  readonly development: boolean
  readonly proxies: IpAllowList.IpAllowList
}

const httpAddress = makeTextOption(
  "must be an http:// or https:// address",
  (url) => /^https?:/i.test(url) && URL.canParse(url)
)

/** Returns the check of an option that replaces a port: a function, a layer, or an object with the given fields. */
const port = (what: string, fields?: OptionSchemas) => {
  const object = fields === undefined ? () => what : makeSchemaRule(makeStructOption(fields))
  return makeOptionalOption((value) => {
    if (Predicate.isFunction(value) || Layer.isLayer(value)) return true
    return Predicate.isObject(value) ? object(value) : what
  })
}

/** Returns the rule of an option that accepts a layer, or an object with functions of the given names. */
const reader = (what: string, names: ReadonlyArray<string>) =>
  makeOptionalOption(
    (value) =>
      Layer.isLayer(value) ||
      names.every((name) => Predicate.hasProperty(value, name) && Predicate.isFunction(value[name])) ||
      what
  )

const openAi = {
  url: httpAddress,
  model: makeTextOption("must name a model of the server"),
  apiKey: makeOptionalOption((value) => Predicate.isString(value) || "must be a text")
}

const shortestSecret = 32

const isSecret = (value: unknown) => isText(value) && value.length >= shortestSecret

const figures = (defaults: unknown) => makeSchemaRule(PartialSettings.makeOverridesSchema(defaults))

const Given = makeStructOption({
  url: makeRequiredOptionSchema((value) => {
    const kept = Predicate.isString(value) ? PublicAddress.normalizePublicAddress(value) : Option.none()
    if (Option.isNone(kept)) return `must be ${PublicAddress.publicAddressRequirement}`
    return !PublicAddress.collidesWithRoutes(kept.value) || `must be an address whose path is none of the service's own`
  }),
  secret: makeRequiredOptionSchema(
    (value) =>
      isSecret(value) ||
      (Array.isArray(value) && value.length > 0 && value.every(isSecret)) ||
      `must have ${shortestSecret} characters or more: a long random text, the same in every process`
  ),
  development: optionalBooleanOption,
  database: makeOptionalOption(
    (value) => Layer.isLayer(value) || 'must be sqlite("…") or postgres("…") of this package'
  ),
  mail: port("must be a function that sends a mail, or smtp(…) of this package", {
    outbox: makeTextOption("must name a folder")
  }),
  generator: port("must be a function that writes a text, or { url, model, apiKey } of a server", openAi),
  speech: port("must be a function that speaks a text, or { url, model, voice, apiKey } of a server", {
    ...openAi,
    voice: makeTextOption("must name a voice of the server")
  }),
  mediaStorage: port("must be a function that keeps a file, or { folder, url }", {
    folder: makeTextOption("must name a folder"),
    url: httpAddress
  }),
  identity: port("must be a function that reads a token, or { jwksUrl, issuer, audience }", {
    jwksUrl: httpAddress,
    issuer: makeTextOption("must be the iss of the provider's tokens"),
    audience: makeTextOption("must be the aud of tokens for this service"),
    organizationClaim: makeOptionalOption((value) => isText(value) || "must name a claim")
  }),
  personas: reader("must have the functions find and licensed", ["find", "licensed"]),
  organizations: reader("must have the function find", ["find"]),
  webhooks: port("must be { allowPrivate }", { allowPrivate: optionalBooleanOption }),
  logger: makeOptionalOption(
    (value) => Logger.isLogger(value) || isHostLogger(value) || "must have the methods debug, info, warn and error"
  ),
  policy: makeOptionalOption((value) =>
    Predicate.isObject(value) ? figures(Policy.defaults)(value) : "must be an object"
  ),
  workers: makeOptionalOption((value) => {
    if (Predicate.isBoolean(value)) return true
    return Predicate.isObject(value)
      ? figures(WorkerSettings.defaultValue())(value)
      : "must be true, false or an object"
  }),
  trustedProxies: makeOptionalOption(
    (value) =>
      (Array.isArray(value) &&
        value.every(Predicate.isString) &&
        Result.isSuccess(IpAllowList.parseAllowList(value))) ||
      'must list addresses and networks, such as ["10.0.0.0/8"]'
  )
})

const decode = Schema.decodeUnknownResult(Given, strictParseOptions)

/** Validates the options. Returns the decoded options, or an error about the first problem. */
export const decodeOptions = (options: Options): Result.Result<DecodedOptions, PartnerCommentaryError> => {
  if (!Predicate.isObject(options)) return Result.fail(makeInvalidOptionError("url", "is required"))
  return Result.flatMap(
    Result.mapError(decode(options), ({ issue }) => {
      const [{ constraint, field }] = convertSchemaIssueToProblems(issue)
      return makeInvalidOptionError(field, constraint)
    }),
    () => applyDefaults(options)
  )
}

const applyDefaults = (options: Options): Result.Result<DecodedOptions, PartnerCommentaryError> => {
  const apiRoot = Option.getOrThrow(PublicAddress.normalizePublicAddress(options.url))
  const development = options.development ?? isLoopbackHost(new URL(apiRoot).hostname)
  const needed = development ? undefined : productive.find(([name]) => options[name] === undefined)
  if (needed !== undefined)
    return Result.fail(makeInvalidOptionError(needed[0], `must be given outside development: ${needed[1]}`))
  const [first = "", ...others] = [options.secret ?? []].flat()
  const proxies = Result.getOrThrow(IpAllowList.parseAllowList(options.trustedProxies ?? []))
  return Result.succeed({ ...options, apiRoot, development, proxies, secrets: [first, ...others] })
}

/** The options that have a default only in development. */
const productive = [
  ["database", 'sqlite("…") or postgres("…") of this package'],
  ["mail", "a function that sends a mail, or smtp(…) of this package"],
  ["generator", "a function that writes a text, or { url, model, apiKey } of a server"]
] as const
