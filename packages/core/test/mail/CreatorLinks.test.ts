import { describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { assert } from "vitest"
import { CreatorLinks, type CreatorLinkTarget } from "../../src/mail/CreatorLinks.ts"
import { defaults } from "../../src/shared/Policy.ts"
import { PublicAddress } from "../../src/shared/PublicAddress.ts"
import { SigningSecrets } from "../../src/shared/SigningSecrets.ts"
import { makeNewAssignment } from "../topic/SampleAssignments.ts"

const assignment = makeNewAssignment(defaults)
const start = "https://partners.example/creator/"
const email = "sam@creator.example"

const signedWith = (first: string, ...rest: ReadonlyArray<string>) =>
  Effect.map(
    Layer.build(
      CreatorLinks.layer.pipe(
        Layer.provide(PublicAddress.layer("https://partners.example")),
        Layer.provide(
          Layer.succeed(SigningSecrets, [Redacted.make(first), ...rest.map((secret) => Redacted.make(secret))])
        ),
        Layer.provide([Digest.layerWebCrypto, Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))])
      )
    ),
    (context) => Context.get(context, CreatorLinks)
  )

const tokenOf = (address: string) => {
  assert.isTrue(address.startsWith(start))
  return address.slice(start.length)
}

const isAssignment = (link: CreatorLinkTarget): link is CreatorLinkTarget & { readonly to: "assignment" } =>
  link.to === "assignment"

describe("a creator's link", () => {
  it.effect("the layer of creator links fails to start with a blank signing secret", () =>
    Effect.gen(function* () {
      for (const [first, ...rest] of [[""], ["  "], ["one", ""]] as const) {
        const exit = yield* Effect.exit(signedWith(first, ...rest))
        assert.match(String(exit), /A signing secret is blank/)
      }
    })
  )

  it.effect("a creator's link opens its assignment and contains only characters that need no URL escaping", () =>
    Effect.gen(function* () {
      const links = yield* signedWith("one")
      const token = tokenOf(yield* links.toAssignment(assignment))
      assert.match(token, /^[A-Za-z0-9_.-]+$/)
      const opened = Option.getOrThrow(yield* links.open(token))
      assert.deepInclude(opened, { to: "assignment", shareId: assignment.id })
      assert.isTrue(isAssignment(opened) && (yield* links.isFor(opened, assignment)))
    })
  )

  it.effect("a creator's link does not contain the creator's address", () =>
    Effect.gen(function* () {
      const links = yield* signedWith("one")
      const [payload = ""] = tokenOf(yield* links.toAssignment(assignment)).split(".")
      const text = Result.getOrThrow(Base64Url.decodeString(payload))
      assert.include(text, assignment.id)
      assert.notInclude(text, "creator.example")
    })
  )

  it.effect(
    "a change of the creator's address invalidates the creator's link, but a change of upper and lower case does not",
    () =>
      Effect.gen(function* () {
        const links = yield* signedWith("one")
        const opened = Option.getOrThrow(yield* links.open(tokenOf(yield* links.toAssignment(assignment))))
        if (!isAssignment(opened)) return assert.fail("opens to something else")
        const withEmail = (address: string) => ({ ...assignment, creator: { name: "Sam", email: address } })
        assert.isFalse(yield* links.isFor(opened, withEmail("alex@creator.example")))
        assert.isFalse(yield* links.isFor(opened, withEmail("")))
        assert.isTrue(yield* links.isFor(opened, withEmail("Sam@Creator.Example")))
      })
  )

  it.effect("a creator's link is invalid if one character is changed, removed or added", () =>
    Effect.gen(function* () {
      const links = yield* signedWith("one")
      const token = tokenOf(yield* links.toAssignment(assignment))
      const isNone = (text: string) => Effect.map(links.open(text), Option.isNone)
      for (let at = 0; at < token.length - 1; at++) {
        for (const other of "aZ09_.") {
          const changed = token.slice(0, at) + other + token.slice(at + 1)
          if (changed !== token) assert.isTrue(yield* isNone(changed), changed)
        }
        assert.isTrue(yield* isNone(token.slice(0, at) + token.slice(at + 1)), `without the character at ${at}`)
      }
      const [payload, tag] = token.split(".")
      const notBase64 = [`${payload}.*`, `*.${tag}`]
      for (const text of ["", ".", "..", `${token}.`, `${token}.a`, `.${token}`, ` ${token}`, ...notBase64])
        assert.isTrue(yield* isNone(text), text)
    })
  )

  it.effect("a creator's link has only one valid spelling, so that a caller cannot avoid the link's rate limit", () =>
    Effect.gen(function* () {
      const links = yield* signedWith("one")
      const token = tokenOf(yield* links.toAssignment(assignment))
      const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
      const spellings = [...letters].map((letter) => token.slice(0, -1) + letter)
      const opening: Array<string> = []
      for (const spelling of [...spellings, `${token}=`])
        if (Option.isSome(yield* links.open(spelling))) opening.push(spelling)
      assert.deepStrictEqual(opening, [token])
    })
  )

  it.effect(
    "a new creator's link is signed with the first secret, and links that were signed with the other secrets stay valid",
    () =>
      Effect.gen(function* () {
        const old = yield* signedWith("old")
        const token = tokenOf(yield* old.toAssignment(assignment))
        const changed = yield* signedWith("new")
        assert.isTrue(Option.isNone(yield* changed.open(token)))
        const both = yield* signedWith("new", "older", "old")
        assert.isTrue(Option.isSome(yield* both.open(token)))
        const fresh = tokenOf(yield* both.toAssignment(assignment))
        assert.isTrue(Option.isSome(yield* changed.open(fresh)))
        assert.isTrue(Option.isNone(yield* old.open(fresh)))
      })
  )

  it.effect("a creator's link with the payload of one link and the signature of another link is invalid", () =>
    Effect.gen(function* () {
      const links = yield* signedWith("one")
      const [payload = ""] = tokenOf(yield* links.toInbox("mallory@creator.example")).split(".")
      const [, tag = ""] = tokenOf(yield* links.toAssignment(assignment)).split(".")
      assert.isTrue(Option.isNone(yield* links.open(`${payload}.${tag}`)))
    })
  )

  it.effect(
    "a creator's link stays valid for the longest possible assignment and 30 more days, and later expires",
    () =>
      Effect.gen(function* () {
        const links = yield* signedWith("one")
        const token = tokenOf(yield* links.toAssignment(assignment))
        const windows = 72 / 24 + defaults.maxDrafts * 7 + 30
        yield* TestClock.adjust(`${windows} days`)
        assert.isTrue(Option.isSome(yield* links.open(token)))
        yield* TestClock.adjust("150 days")
        assert.isTrue(Option.isNone(yield* links.open(token)))
      })
  )
})

describe("an inbox link", () => {
  it.effect("an inbox link that is created at a full second opens the creator's inbox for exactly 15 minutes", () =>
    Effect.gen(function* () {
      const links = yield* signedWith("one")
      yield* TestClock.setTime(1_778_760_000_000)
      const token = tokenOf(yield* links.toInbox(email))
      yield* TestClock.adjust("899999 millis")
      assert.deepStrictEqual(yield* links.open(token), Option.some({ to: "desk", email }))
      yield* TestClock.adjust("1 millis")
      assert.isTrue(Option.isNone(yield* links.open(token)))
    })
  )

  it.effect("an inbox link is valid for at least 15 minutes and for at most one second more", () =>
    Effect.gen(function* () {
      const links = yield* signedWith("one")
      yield* TestClock.setTime(1_778_760_000_001)
      const token = tokenOf(yield* links.toInbox(email))
      yield* TestClock.adjust("15 minutes")
      assert.isTrue(Option.isSome(yield* links.open(token)))
      yield* TestClock.adjust("999 millis")
      assert.isTrue(Option.isNone(yield* links.open(token)))
    })
  )

  it.effect("an inbox link supports addresses with special and non-ASCII characters", () =>
    Effect.gen(function* () {
      const links = yield* signedWith("one")
      for (const address of ["ж@пример.example", "a+b.c@creator.example", "o'neil/x=y@creator.example"]) {
        const opened = yield* links.open(tokenOf(yield* links.toInbox(address)))
        assert.deepStrictEqual(opened, Option.some({ to: "desk", email: address }))
      }
    })
  )
})
