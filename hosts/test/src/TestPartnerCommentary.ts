/**
 * The whole API in memory, for your own tests, with any test runner. Each instance has its own database, clock, mailbox
 * and webhooks. When the promise of a call resolves, all resulting work is done.
 */
import { type ClientOptions, PartnerCommentary, PartnerCommentaryDashboard } from "@partner-commentary/client"
import type { ApiKeyScope } from "@partner-commentary/core/access/Scope"
import { retryFailedWork } from "@partner-commentary/core/operations/Retry"
import type { Policy } from "@partner-commentary/core/shared/Policy"
import type { SettingsOverrides } from "@partner-commentary/server/embedding/PartialSettings"
import { TestClock } from "./TestClock.ts"
import { TestCreator } from "./TestCreator.ts"
import { TestPartnerCommentaryError } from "./TestError.ts"
import { TestGenerator } from "./TestGenerator.ts"
import { TestInstance } from "./TestInstance.ts"
import { type TestMail, TestMailbox } from "./TestMailbox.ts"
import { checkInstanceOptions } from "./TestOptions.ts"
import {
  type SeededTestOrganization,
  TestDataSeeder,
  type TestOrganization,
  type TestOrganizationSeed,
  type TestPersona,
  type TestPersonaSeed
} from "./TestSeed.ts"
import { TestWebhooks } from "./TestWebhooks.ts"

/** Options of a test instance. All options are optional. */
export interface TestPartnerCommentaryOptions {
  /** The initial time, by default the current time. The clock stands still after the start. */
  readonly now?: Date | string | number
  /** The origin of the links in mails. The service answers requests for any host name. */
  readonly url?: string
  /** Policy values that replace the defaults, for example `{ responseWindow: "72 hours" }`. */
  readonly policy?: SettingsOverrides<Policy>
  /**
   * The kinds of media that the service makes from approved texts if a topic's `output_types` request them. By default
   * the service makes no media.
   */
  readonly media?: ReadonlyArray<"audio" | "video">
  /** Receives every line that the service logs. By default the lines are discarded. */
  readonly log?: (line: string) => void
}

/** Options of the API client that a test uses. */
export type TestClientOptions = Omit<ClientOptions, "baseUrl" | "fetch"> & {
  /** The environment of the organization's key that the client uses. */
  readonly environment?: "live" | "test"
}

/** Options of an additional key. */
export interface TestKeyOptions {
  /** The scopes of the key. The key has every scope by default. */
  readonly scopes?: ReadonlyArray<ApiKeyScope>
  /** The environment of the key, by default `live`. */
  readonly environment?: "live" | "test"
  /** The time at which the key expires, by the instance's clock. By default the key never expires. */
  readonly expiresAt?: Date
}

/** One service in memory, with its partners, creators, receivers, generator and clock. */
export class TestPartnerCommentary {
  /** The service's address, for code that needs an address in addition to `fetch`. */
  readonly url: string
  /** The instance's clock, which stands still until you move it: `await pc.clock.advance("48 hours")`. */
  readonly clock: TestClock
  /** The mails that the service sent. */
  readonly mailbox: TestMailbox
  /** The requests that webhooks received, and the responses to them. */
  readonly webhooks: TestWebhooks
  /** The generator of the drafts. */
  readonly generator: TestGenerator
  readonly #instance: TestInstance
  readonly #seeds: TestDataSeeder

  private constructor(instance: TestInstance, url: string) {
    this.url = url
    this.#instance = instance
    this.#seeds = new TestDataSeeder(instance)
    this.clock = new TestClock(instance)
    this.mailbox = new TestMailbox(instance)
    this.webhooks = new TestWebhooks(instance)
    this.generator = new TestGenerator(instance)
  }

  /** Creates a service without data. Dispose of the instance when the test ends, or use `await using`. */
  static async make(options: TestPartnerCommentaryOptions = {}): Promise<TestPartnerCommentary> {
    checkInstanceOptions(options)
    const { log, media = [], now = Date.now(), policy = {} } = options
    const start = new Date(now).getTime()
    if (Number.isNaN(start)) throw new TestPartnerCommentaryError(`now is no moment: ${JSON.stringify(now)}.`)
    const url = originOf(options.url ?? "http://test.invalid")
    return new TestPartnerCommentary(await TestInstance.make({ start, policy, media, apiRoot: url }, log), url)
  }

  /**
   * Sends a request to the service. The arguments are those of the global `fetch`, and the input may also be a path
   * without an origin. Pass this method to any code that takes a `fetch`. The promise resolves when the response is
   * ready and all resulting work is done: mails, drafts and events.
   */
  readonly fetch = async (input: Request | URL | string, init?: RequestInit): Promise<Response> => {
    const request = input instanceof Request ? new Request(input, init) : new Request(new URL(input, this.url), init)
    return this.#instance.handle(request)
  }

  /** Returns the official client for an organization or a key, on this instance. */
  client(caller: TestOrganization | string, options: TestClientOptions = {}): PartnerCommentary {
    this.#instance.alive()
    const { environment = "live", ...rest } = options
    const apiKey = typeof caller === "string" ? caller : environment === "test" ? caller.testApiKey : caller.apiKey
    return new PartnerCommentary({ ...rest, apiKey, baseUrl: this.url, fetch: this.fetch })
  }

  /**
   * Returns the official client that manages the organization's API keys. The client authenticates with the
   * organization's dashboard tokens.
   */
  dashboard(organization: TestOrganization, options: Omit<TestClientOptions, "environment"> = {}) {
    const token = () => this.#seeds.token(organization)
    return new PartnerCommentaryDashboard({ ...options, token, baseUrl: this.url, fetch: this.fetch })
  }

  /** Creates an organization with its keys and licensed personas. Each call of `seed` creates another organization. */
  seed<const Personas extends ReadonlyArray<string | TestPersonaSeed> = readonly ["Ada Vance"]>(
    options: TestOrganizationSeed<Personas> = {}
  ): Promise<SeededTestOrganization<Personas>> {
    return this.#seeds.seed(options)
  }

  /** Creates another key of an organization and returns the key's text. */
  key(organization: TestOrganization, options: TestKeyOptions = {}): Promise<string> {
    return this.#seeds.key(organization, options)
  }

  /** Licenses a persona to an organization. By default the licence does not end. */
  license(organization: TestOrganization, persona: TestPersona, until?: Date): Promise<void> {
    return this.#seeds.license(organization, persona, until)
  }

  /**
   * Returns a persona's creator, who acts through the link in a mail. The argument is the mail, the persona, or the
   * persona's name, as in `pc.creator("Ada Vance")`. Without a mail, the creator uses the newest mail.
   */
  creator(of: TestMail | TestPersona | string): TestCreator {
    if (typeof of === "object" && "subject" in of) return new TestCreator(this.#instance, of)
    return new TestCreator(this.#instance, this.mailbox.latestLink(this.#seeds.persona(of)))
  }

  /** The operations that the harness does not run on its own. */
  readonly operations = {
    /**
     * Restarts all mails, drafts, audio and video that failed permanently, and returns their numbers. The promise
     * resolves when the restarted work is done.
     */
    retry: async (): Promise<{ readonly mails: number; readonly drafts: number; readonly media: number }> => {
      const restarted = await this.#instance.run(retryFailedWork(0))
      await this.#instance.finish()
      return restarted
    }
  }

  /** Ends the instance and deletes its data. After `dispose`, every call on the instance throws an error. */
  dispose(): Promise<void> {
    return this.#instance.dispose()
  }

  /** Disposes of the instance at the end of the scope of `await using pc = await TestPartnerCommentary.make()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose()
  }
}

/** Rejects a URL with a path. Only a proxy adds and removes a path prefix, and the test service has no proxy. */
const originOf = (url: string): string => {
  const { origin, pathname, protocol, search } = URL.canParse(url) ? new URL(url) : new URL("none:")
  if (/^https?:$/.test(protocol) && pathname === "/" && search === "") return origin
  throw new TestPartnerCommentaryError(`url is no origin such as https://api.example.com: ${JSON.stringify(url)}.`)
}

export type { DurationInput } from "./TestClock.ts"
export { CreatorRefused, type CreatorView, type TestCreator } from "./TestCreator.ts"
/** @public */
export { TestPartnerCommentaryError } from "./TestError.ts"
export type { GenerationFailure, TestGenerator } from "./TestGenerator.ts"
export type { MailRecipient, TestMail, TestMailbox } from "./TestMailbox.ts"
export type {
  SeededTestOrganization,
  TestOrganization,
  TestOrganizationSeed,
  TestPersona,
  TestPersonaSeed
} from "./TestSeed.ts"
export type {
  NoResponseReason,
  ReceivedEvent,
  ReceiverResponse,
  TestWebhooks,
  WebhookEndpoint
} from "./TestWebhooks.ts"
