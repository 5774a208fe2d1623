/** Tests that functions of the application keep the guarantees of the ports that they implement. */
import { assert, describe, it } from "@effect/vitest"
import { DashboardTokenVerifier } from "@partner-commentary/core/access/DashboardTokenVerifier"
import { CommentaryGenerator } from "@partner-commentary/core/commentary/CommentaryGenerator"
import { MediaStorage } from "@partner-commentary/core/commentary/MediaStorage"
import { MediaSynthesizer } from "@partner-commentary/core/commentary/MediaSynthesizer"
import { Mailer } from "@partner-commentary/core/mail/Mailer"
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import { PersonaStore } from "@partner-commentary/core/persona/PersonaStore"
import { OrganizationId, PersonaId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as OrganizationReadingSuite from "@partner-commentary/testkit/OrganizationReadingSuite"
import * as PersonaReadingSuite from "@partner-commentary/testkit/PersonaReadingSuite"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as GeneratorFunction from "../src/ports/GeneratorFunction.ts"
import * as IdentityFunction from "../src/ports/IdentityFunction.ts"
import * as MailFunction from "../src/ports/MailFunction.ts"
import * as MediaFunctions from "../src/ports/MediaFunctions.ts"
import * as OrganizationFunctions from "../src/ports/OrganizationFunctions.ts"
import * as PersonaFunctions from "../src/ports/PersonaFunctions.ts"

const mail = { id: "a.request", to: { name: "Ada", address: "ada@host.example" }, subject: "s", text: "t", html: "h" }
const request = { persona: { name: "Ada", bio: "", expertise: [] }, topic: "Who wins?", perspective: "The home side." }
const never = () => new Promise<never>(() => {})

describe("Mail functions", () => {
  const sending = (send: MailFunction.SendMail) =>
    Effect.provide(
      Mailer.use(({ send }) => send(mail)),
      MailFunction.layer(send)
    )

  it.effect("a mail function receives the mail, and need not be an async function", () =>
    Effect.gen(function* () {
      const sent: Array<unknown> = []
      yield* sending((message) => sent.push(message))
      assert.deepStrictEqual(sent, [mail])
    })
  )

  it.effect("a mail function is called again later if it throws an error that is not permanent", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(sending(() => Promise.reject(new Error("the service is busy"))))
      assert.deepStrictEqual([refused.permanent, refused.reason], [false, "the service is busy"])
      const thrown = yield* Effect.flip(
        sending(() => {
          throw Object.assign(new Error("no such address"), { permanent: true })
        })
      )
      assert.deepStrictEqual([thrown.permanent, thrown.reason], [true, "no such address"])
    })
  )

  it.effect(
    "a mail function times out after 15 seconds and its signal is aborted, even in an uninterruptible worker",
    () =>
      Effect.gen(function* () {
        let signal: AbortSignal | undefined
        const sent = Effect.uninterruptible(
          Effect.flip(
            sending((_, context) => {
              signal = context.signal
              return never()
            })
          )
        )
        const waiting = yield* Effect.forkChild(sent)
        yield* TestClock.adjust("15 seconds")
        assert.isFalse((yield* Fiber.join(waiting)).permanent)
        assert.isTrue(signal?.aborted)
      })
  )
})

describe("Generator functions", () => {
  const drafting = (generate: GeneratorFunction.GenerateCommentary) =>
    Effect.provide(
      CommentaryGenerator.use(({ generate }) => generate(request)),
      GeneratorFunction.layer(generate)
    )

  it.effect(
    "a generator function returns plain text, and the service cleans this text in the same way as a model's text",
    () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* drafting(async ({ perspective }) => ` "${perspective}" `), "The home side.")
      })
  )

  it.effect("a generation attempt fails if the generator function returns no text, an empty text or markup", () =>
    Effect.gen(function* () {
      for (const text of ["", "<b>bold</b>", undefined, { text: "x" }]) {
        const failed = yield* Effect.flip(drafting(() => text as string))
        assert.strictEqual(failed._tag, "GenerationFailed")
      }
    })
  )

  it.effect("a generator function times out after 45 seconds", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(Effect.flip(drafting(never)))
      yield* TestClock.adjust("45 seconds")
      assert.isFalse((yield* Fiber.join(waiting)).permanent)
    })
  )
})

describe("Audio functions", () => {
  const spoken = { text: "The home side.", persona: { id: "p", name: "Ada" } }
  const file = { contentType: "audio/mpeg", bytes: new Uint8Array([1]) } as const

  it.effect("audio functions make and store files, and an invalid content type, file or URL is a failure", () =>
    Effect.gen(function* () {
      const speak = (answer: unknown) =>
        Effect.provide(
          Effect.flatMap(MediaSynthesizer, ({ audio }) => audio?.(spoken) ?? Effect.die("no audio")),
          MediaFunctions.speechLayer(() => answer as typeof file)
        )
      assert.deepStrictEqual(yield* speak(file), file)
      for (const wrong of [{ ...file, contentType: "text/plain" }, { ...file, bytes: new Uint8Array() }, null]) {
        assert.strictEqual((yield* Effect.flip(speak(wrong)))._tag, "SynthesisFailed")
      }
      const put = (answer: unknown) =>
        Effect.provide(
          Effect.flatMap(MediaStorage, (storage) => storage?.put("a.mp3", file) ?? Effect.die("no storage")),
          MediaFunctions.storageLayer(() => answer as string)
        )
      assert.strictEqual(yield* put("https://media.example/a.mp3"), "https://media.example/a.mp3")
      assert.strictEqual((yield* Effect.flip(put("a.mp3")))._tag, "StorageFailed")
    })
  )
})

describe("Identity functions", () => {
  const reading = (identify: IdentityFunction.IdentifyCaller, token = "token") =>
    Effect.provide(
      DashboardTokenVerifier.use(({ verify }) => verify(token)),
      IdentityFunction.layer(identify)
    )

  it.effect(
    "the results of an identity function are an organization, an invalid token, an expired token, or a failure",
    () =>
      Effect.gen(function* () {
        const organization = "courtside"
        assert.deepStrictEqual(yield* reading(async () => ({ organization })), { organization, subject: null })
        for (const none of [null, undefined]) {
          const invalid = yield* Effect.flip(reading(() => none))
          assert.deepInclude(invalid, { _tag: "TokenRefused", expired: false })
        }
        assert.deepInclude(yield* Effect.flip(reading(() => ({ expired: true }))), {
          _tag: "TokenRefused",
          expired: true
        })
        for (const broken of [() => Promise.reject(new Error("down")), () => ({ organization: "" }), never]) {
          const waiting = yield* Effect.forkChild(Effect.flip(reading(broken)))
          yield* TestClock.adjust("10 seconds")
          assert.strictEqual((yield* Fiber.join(waiting))._tag, "IdentityUnreachable")
        }
      })
  )

  it.effect("an identity function is not called for a text that is longer than any token", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(reading(() => ({ organization: "courtside" }), "x".repeat(8193)))
      assert.strictEqual(refused._tag, "TokenRefused")
    })
  )
})

/** The personas, licences and organizations in the application's own tables. */
class Tables extends Context.Service<
  Tables,
  {
    readonly personas: Map<string, PersonaFunctions.HostPersona>
    readonly licenses: Array<{ readonly organization: string; readonly persona: string; readonly until: number | null }>
    readonly organizations: Map<string, OrganizationFunctions.HostOrganization>
  }
>()("partner-commentary/test/Tables") {
  static readonly layer = Layer.sync(Tables, () => ({ personas: new Map(), licenses: [], organizations: new Map() }))
}

const personas = Layer.unwrap(
  Tables.useSync((tables) =>
    PersonaFunctions.layer({
      find: async (id) => tables.personas.get(id),
      licensed: async (organization, ids, { at }) =>
        [...tables.personas.values()].filter(({ id }) => {
          const isLicensed = tables.licenses.some(
            ({ organization: held, persona, until }) =>
              persona === id && held === organization && (until === null || at.getTime() < until)
          )
          return isLicensed && (ids === null || ids.includes(id))
        })
    })
  )
)

const id = "5d3f0f6a-8c1e-4b7a-9d55-0e2f4c6b8a91"
const created_at = "2020-01-01T00:00:00.000Z"

PersonaReadingSuite.suite("functions of the application", Layer.provideMerge(personas, Tables.layer), {
  publish: ({ bio, createdAt, creator, expertise, id, imageUrl, name, socialLinks }) =>
    Tables.use(({ personas }) =>
      Effect.sync(() =>
        personas.set(id, {
          ...{ id, name, bio, creator, expertise, image_url: imageUrl, social_links: socialLinks },
          created_at: Instant.toIso(createdAt)
        })
      )
    ),
  license: (organization, persona, until) =>
    Tables.use(({ licenses }) => Effect.sync(() => licenses.push({ organization, persona, until }))),
  existing: (organization) =>
    Tables.use(({ licenses, personas }) =>
      Effect.sync(() => {
        personas.set(id, { id, name: "Bo", creator: { email: "bo@host.example" }, created_at })
        licenses.push({ organization, persona: id, until: null })
      })
    )
})

const organizations = Layer.unwrap(
  Tables.useSync(({ organizations }) =>
    OrganizationFunctions.layer({
      find: async (id) => organizations.get(id),
      findByIdentity: async (identity) =>
        [...organizations.values()].find(({ identity_id }) => identity_id === identity)
    })
  )
)

OrganizationReadingSuite.suite("functions of the application", Layer.provideMerge(organizations, Tables.layer), {
  register: ({ contactEmail, createdAt, id, identityId, limits, name, plan, suspendedAt }) =>
    Tables.use(({ organizations }) =>
      Effect.sync(() =>
        organizations.set(id, {
          ...{ id, name, plan, limits, contact_email: contactEmail, identity_id: identityId },
          suspended_at: suspendedAt === null ? null : Instant.toIso(suspendedAt),
          created_at: Instant.toIso(createdAt)
        })
      )
    ),
  existing: Tables.use(({ organizations }) =>
    Effect.sync(() => {
      organizations.set(id, { id, name: "Old", identity_id: "old", created_at: new Date(created_at) })
      return "old"
    })
  )
})

it.effect(
  "if a function returns an invalid row, the read fails with a defect that names the option, the field and the id",
  () =>
    Effect.gen(function* () {
      const wrong = `AAAAAAAA${id.slice(8)}`
      const row = { id: wrong, name: "Bo", created_at }
      const persona = { ...row, creator: { email: "bo@host.example" } }
      const personas = PersonaFunctions.layer({ find: () => persona, licensed: () => [persona] })
      const organizations = OrganizationFunctions.layer({ find: () => row })
      const reads = [
        Effect.provide(
          PersonaStore.use(({ find }) => find(PersonaId.make(id))),
          personas
        ),
        Effect.provide(
          PersonaStore.use(({ licensed }) => licensed(OrganizationId.make(id), 0)),
          personas
        ),
        Effect.provide(
          OrganizationStore.use(({ find }) => find(OrganizationId.make(id))),
          organizations
        )
      ]
      const messages = yield* Effect.forEach(reads, (read) =>
        Effect.map(Effect.flip(Effect.sandbox<unknown, never, never>(read)), (cause) => String(Cause.squash(cause)))
      )
      const invalid = "failed: the application returned an invalid result:"
      assert.deepStrictEqual(messages, [
        `Error: The option personas ${invalid} id "${wrong}" must be a UUID in lower case`,
        `Error: The option personas ${invalid} [0].id "${wrong}" must be a UUID in lower case`,
        `Error: The option organizations ${invalid} id "${wrong}" must be a UUID in lower case`
      ])
    })
)

it.effect("if the function licensed returns a persona twice, the read fails with a defect that names the id", () =>
  Effect.gen(function* () {
    const persona = { id, name: "Bo", creator: { email: "bo@host.example" }, created_at }
    const layer = PersonaFunctions.layer({ find: () => persona, licensed: () => [persona, persona] })
    const read = PersonaStore.use(({ licensed }) => licensed(OrganizationId.make(id), 0))
    const cause = yield* Effect.flip(Effect.sandbox<unknown, never, never>(Effect.provide(read, layer)))
    assert.strictEqual(
      String(Cause.squash(cause)),
      `Error: The option personas failed: the application returned an invalid result: [1].id "${id}" must occur once`
    )
  })
)

it.effect("without the function findByIdentity, no organization is found by an identity id", () =>
  Effect.gen(function* () {
    const functions = OrganizationFunctions.layer({ find: () => ({ id, name: "Old", created_at }) })
    const store = yield* Effect.provide(OrganizationStore, functions)
    assert.isTrue(Option.isNone(yield* store.findByIdentity("old")))
    assert.isTrue(Option.isSome(yield* store.find(OrganizationId.make(id))))
  })
)
