import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Outbox from "@partner-commentary/smtp/Outbox"
import * as OutboxMailer from "@partner-commentary/smtp/OutboxMailer"
import * as MailerSuite from "@partner-commentary/testkit/MailerSuite"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import PostalMime from "postal-mime"
import { makeMailer, makeMessage, senderAddress, toReceivedMail } from "./Fixtures.ts"

/**
 * Creates a temporary folder, and removes the folder when the scope closes. The layer under test creates the outbox
 * inside the folder.
 */
const place = Effect.gen(function* () {
  const parent = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "outbox-"))),
    (parent) => Effect.sync(() => rmSync(parent, { recursive: true }))
  )
  const folder = join(parent, "data", "outbox")
  const { send } = yield* makeMailer(OutboxMailer.layer({ folder, from: senderAddress }))
  const outbox = Context.get(yield* Layer.build(Outbox.layer({ folder })), Outbox.Outbox)
  return { parent, folder, send, outbox }
})

/** The outbox folder of a test, into which the mailer writes its mails. */
class Folder extends Context.Service<Folder, string>()("@partner-commentary/smtp/test/Folder") {}

const writing = Layer.unwrap(Effect.map(Folder, (folder) => OutboxMailer.layer({ folder, from: senderAddress }))).pipe(
  Layer.provideMerge(
    Layer.effect(
      Folder,
      Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "outbox-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
      )
    )
  )
)

const written = Effect.flatMap(Folder, (folder) =>
  Effect.forEach(readdirSync(folder).sort(), (file) =>
    Effect.map(
      Effect.promise(() => PostalMime.parse(readFileSync(join(folder, file)))),
      toReceivedMail
    )
  )
)

MailerSuite.suite("OutboxMailer", writing, written)

const ids = (files: ReadonlyArray<{ readonly file: string }>) => files.map(({ file }) => file.split("_")[1])

describe("Outbox", () => {
  it.effect("the outbox contains the mail with its headers, and only the owner may read the mail", () =>
    Effect.gen(function* () {
      const { folder, send, outbox } = yield* place
      yield* TestClock.adjust("1 day")
      yield* send(makeMessage({ subject: "Ein Thema für Zoë 🏀" }))
      const [mail, ...others] = yield* outbox.list
      assert.strictEqual(others.length, 0)
      assert.deepStrictEqual(mail, {
        file: `1970-01-02T00-00-00.000Z_${makeMessage().id}.eml`,
        date: "1970-01-02T00:00:00.000Z",
        from: "Partner Commentary <notices@mail.example.com>",
        to: "Ada Lovelace <ada@example.com>",
        subject: "Ein Thema für Zoë 🏀",
        text: `${makeMessage().text}\n`
      })
      const raw = readFileSync(join(folder, mail!.file), "utf8")
      assert.include(raw.replaceAll("\r\n ", " "), `Message-ID: <${makeMessage().id}@mail.example.com>\r\n`)
      assert.include(raw, "Auto-Submitted: auto-generated\r\n")
      assert.include(raw, "Date: Fri, 02 Jan 1970 00:00:00 +0000\r\n")
      assert.strictEqual(statSync(folder).mode & 0o777, 0o700)
      assert.strictEqual(statSync(join(folder, mail!.file)).mode & 0o777, 0o600)
    })
  )

  it.live("the outbox contains one file with the latest version of each mail, even after concurrent sends", () =>
    Effect.gen(function* () {
      const { folder, send, outbox } = yield* place
      const waits = Array.from({ length: 10 }, (_, n) => n)
      yield* Effect.forEach(waits, (wait) => Effect.delay(send(makeMessage()), wait), { concurrency: "unbounded" })
      yield* send(makeMessage({ subject: "Again" }))
      assert.strictEqual(readdirSync(folder).length, 1)
      assert.deepStrictEqual(
        (yield* outbox.list).map(({ subject }) => subject),
        ["Again"]
      )
    })
  )

  it.effect("the outbox refuses a mail that no server would accept, and writes no file", () =>
    Effect.gen(function* () {
      const { folder, send } = yield* place
      for (const changes of [{ id: "../escaped" }, { id: "" }, { to: { name: "Ada", address: "ada" } }]) {
        assert.isTrue((yield* Effect.flip(send(makeMessage(changes)))).permanent)
      }
      assert.deepStrictEqual(readdirSync(folder), [])
    })
  )

  it.effect(
    "if the outbox folder was removed, the mailer creates the folder again, and reports an error if this fails",
    () =>
      Effect.gen(function* () {
        const { folder, send, outbox } = yield* place
        rmSync(folder, { recursive: true })
        assert.deepStrictEqual(yield* outbox.list, [])
        yield* send(makeMessage())
        assert.strictEqual((yield* outbox.list).length, 1)
        rmSync(folder, { recursive: true })
        writeFileSync(folder, "in the way")
        assert.isFalse((yield* Effect.flip(send(makeMessage()))).permanent)
        const refused = yield* Effect.flip(
          makeMailer(OutboxMailer.layer({ folder: join(folder, "below"), from: senderAddress }))
        )
        assert.strictEqual(refused.setting, "folder")
      })
  )
})

describe("List of the outbox", () => {
  it.effect("the list of the outbox shows the newest 100 mails, newest first", () =>
    Effect.gen(function* () {
      const { send, outbox } = yield* place
      for (let n = 1; n <= 102; n++) {
        yield* TestClock.adjust("1 second")
        yield* send(makeMessage({ id: `mail-${n}` }))
      }
      const listed = ids(yield* outbox.list)
      assert.strictEqual(listed.length, 100)
      assert.deepStrictEqual([listed[0], listed[99]], ["mail-102.eml", "mail-3.eml"])
    })
  )

  it.effect("the list of the outbox omits files that are not mails", () =>
    Effect.gen(function* () {
      const { folder, send, outbox } = yield* place
      yield* send(makeMessage({ id: "good" }))
      const broken = (id: string) => join(folder, Outbox.makeMailFileName("2030-01-01T00:00:00.000Z", id))
      writeFileSync(broken("garbage"), Buffer.from([0, 255, 254, 13, 10, 0, 1]))
      writeFileSync(broken("empty"), "")
      mkdirSync(broken("folder"))
      symlinkSync(join(folder, "nowhere"), broken("dangling"))
      writeFileSync(join(folder, "half.part"), "From: a@b")
      assert.deepStrictEqual(ids(yield* outbox.list), ["good.eml"])
    })
  )

  it.effect("a listed mail is found by its file name, and no file outside the folder is found", () =>
    Effect.gen(function* () {
      const { parent, folder, send, outbox } = yield* place
      yield* send(makeMessage())
      const [mail] = yield* outbox.list
      assert.deepStrictEqual(yield* outbox.find(mail!.file), Option.some(mail))
      const beside = Outbox.makeMailFileName("1970-01-01T00:00:00.000Z", "beside")
      for (const path of [join(parent, beside), join(parent, "data", beside)]) {
        writeFileSync(path, readFileSync(join(folder, mail!.file)))
      }
      for (const file of [
        `../${beside}`,
        `../../${beside}`,
        `..\\${beside}`,
        `${mail!.file}/../../${beside}`,
        join(parent, beside),
        `${mail!.file}\0`,
        `${mail!.file}\n`,
        `./${mail!.file}`,
        Outbox.makeMailFileName("1970-01-01T00:00:00.000Z", "unknown"),
        "..",
        ""
      ]) {
        assert.deepStrictEqual(yield* outbox.find(file), Option.none(), file)
      }
    })
  )
})
