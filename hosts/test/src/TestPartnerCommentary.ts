/**
 * The whole API in memory, for your own tests, with any test runner. One instance is one world of its own: database,
 * clock, mailbox, webhooks. All that follows from a call is done when its promise resolves.
 */
import { type ClientOptions, PartnerCommentary, PartnerCommentaryDashboard } from "@partner-commentary/client"
import type { Scope } from "@partner-commentary/core/access/Scope"
import type { Policy } from "@partner-commentary/core/shared/Policy"
import { TestClock } from "./TestClock.ts"
import { TestCreator } from "./TestCreator.ts"
import { TestPartnerCommentaryError } from "./TestError.ts"
import { TestGenerator } from "./TestGenerator.ts"
import { TestInstance } from "./TestInstance.ts"
import { type TestMail, TestMailbox } from "./TestMailbox.ts"
import {
  type PersonaSeed,
  type Seeded,
  type SeedOptions,
  type TestOrganization,
  type TestPersona,
  TestSeeds
} from "./TestSeed.ts"
import { TestWebhooks } from "./TestWebhooks.ts"

/** All of it may be left out. */
export interface TestPartnerCommentaryOptions {
  /** When the clock begins; now, where it is left out. From then on it stands still. */
  readonly now?: Date | string | number
  /** The service's origin, as mails show it. Requests are answered whatever host they name. */
  readonly url?: string
  /** Windows and bounds that differ from the product's, for who runs the service with others. */
  readonly policy?: Partial<Policy>
  /** What is made of approved texts where a topic's `output_types` ask for it; nothing where it is left out. */
  readonly media?: ReadonlyArray<"audio" | "video">
  /** Gets every line that the service would log. Silent where it is left out. */
  readonly log?: (line: string) => void
}

/** What a client of a test may be told besides. */
export type TestClientOptions = Omit<ClientOptions, "baseUrl" | "fetch"> & {
  /** Calls with the organization's key of the test environment. */
  readonly environment?: "live" | "test"
}

/** What another key may do. */
export interface KeyOptions {
  /** Every scope, where they are left out. */
  readonly scopes?: ReadonlyArray<Scope>
  /** `live`, where it is left out. */
  readonly environment?: "live" | "test"
  /** By the instance's clock; never, where it is left out. */
  readonly expiresAt?: Date
}

/** One service in memory, and everybody around it: partners, creators, receivers, the generator, time. */
export class TestPartnerCommentary {
  /** The service's address, for whatever of yours wants one beside `fetch`. */
  readonly url: string
  /** Stands still until you move it: `await pc.clock.advance("48 hours")`. */
  readonly clock: TestClock
  /** What the service mailed. */
  readonly mailbox: TestMailbox
  /** What arrived at webhooks, and what is answered there. */
  readonly webhooks: TestWebhooks
  /** What writes the drafts. */
  readonly generator: TestGenerator
  readonly #instance: TestInstance
  readonly #seeds: TestSeeds

  private constructor(instance: TestInstance, url: string) {
    this.url = url
    this.#instance = instance
    this.#seeds = new TestSeeds(instance)
    this.clock = new TestClock(instance)
    this.mailbox = new TestMailbox(instance)
    this.webhooks = new TestWebhooks(instance)
    this.generator = new TestGenerator(instance)
  }

  /** A service of its own, empty. Dispose of it when the test is over, or say `await using`. */
  static async make(options: TestPartnerCommentaryOptions = {}): Promise<TestPartnerCommentary> {
    const { log, media = [], now = Date.now(), policy = {} } = options
    const start = new Date(now).getTime()
    if (Number.isNaN(start)) throw new TestPartnerCommentaryError(`now is no moment: ${JSON.stringify(now)}.`)
    const url = originOf(options.url ?? "http://test.invalid")
    return new TestPartnerCommentary(await TestInstance.make({ start, policy, media, apiRoot: url }, log), url)
  }

  /**
   * Answers one request as the service would, in the manner of the global `fetch`: hand it to whatever takes one. A path
   * is enough. It resolves when the answer is there and all that follows from the request is done: mails, drafts, events.
   */
  readonly fetch = async (input: Request | URL | string, init?: RequestInit): Promise<Response> => {
    const request = input instanceof Request ? new Request(input, init) : new Request(new URL(input, this.url), init)
    return this.#instance.handle(request)
  }

  /** The official client for an organization or a key, on this instance. */
  client(caller: TestOrganization | string, options: TestClientOptions = {}): PartnerCommentary {
    this.#instance.alive()
    const { environment = "live", ...rest } = options
    const apiKey = typeof caller === "string" ? caller : environment === "test" ? caller.testApiKey : caller.apiKey
    return new PartnerCommentary({ ...rest, apiKey, baseUrl: this.url, fetch: this.fetch })
  }

  /** The official client for who manages an organization's keys, with tokens of its dashboard. */
  dashboard(organization: TestOrganization, options: Omit<TestClientOptions, "environment"> = {}) {
    const token = () => this.#seeds.token(organization)
    return new PartnerCommentaryDashboard({ ...options, token, baseUrl: this.url, fetch: this.fetch })
  }

  /** An organization with its keys, and personas that it may ask. Call it again for another organization. */
  seed<const Personas extends ReadonlyArray<string | PersonaSeed> = readonly ["Ada Vance"]>(
    options: SeedOptions<Personas> = {}
  ): Promise<Seeded<Personas>> {
    return this.#seeds.seed(options)
  }

  /** Another key of an organization, as its text. */
  key(organization: TestOrganization, options: KeyOptions = {}): Promise<string> {
    return this.#seeds.key(organization, options)
  }

  /** Lets an organization ask a persona, until a moment if you name one. */
  license(organization: TestOrganization, persona: TestPersona, until?: Date): Promise<void> {
    return this.#seeds.license(organization, persona, until)
  }

  /**
   * The human behind a persona, with the link of a mail in hand: of the mail that you give, or of the newest one to the
   * persona's creator. A persona may be named: `pc.creator("Ada Vance")`.
   */
  creator(of: TestMail | TestPersona | string): TestCreator {
    if (typeof of === "object" && "subject" in of) return new TestCreator(this.#instance, of)
    return new TestCreator(this.#instance, this.mailbox.latestLink(this.#seeds.persona(of)))
  }

  /** Ends the instance and forgets everything. Whatever is called afterwards says so. */
  dispose(): Promise<void> {
    return this.#instance.dispose()
  }

  /** So that `await using pc = await TestPartnerCommentary.make()` disposes of it. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose()
  }
}

/** A path before the service's own is a proxy's to add and to take away, and there is none here. */
const originOf = (url: string): string => {
  const { origin, pathname, protocol, search } = URL.canParse(url) ? new URL(url) : new URL("none:")
  if (/^https?:$/.test(protocol) && pathname === "/" && search === "") return origin
  throw new TestPartnerCommentaryError(`url is no origin such as https://api.example.com: ${JSON.stringify(url)}.`)
}

export type { Span } from "./TestClock.ts"
export { CreatorRefused, type CreatorView, type TestCreator } from "./TestCreator.ts"
/** @public */
export { TestPartnerCommentaryError } from "./TestError.ts"
export type { GenerationFailure, TestGenerator } from "./TestGenerator.ts"
export type { Addressee, TestMail, TestMailbox } from "./TestMailbox.ts"
export type { PersonaSeed, Seeded, SeedOptions, TestOrganization, TestPersona } from "./TestSeed.ts"
export type { NoAnswer, ReceivedEvent, Receiver, ReceiverAnswer, TestWebhooks } from "./TestWebhooks.ts"
