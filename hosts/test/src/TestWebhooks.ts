/**
 * The in-memory receivers of a test's webhooks. The receivers open no connection. The official client verifies each
 * event's signature with the webhooks' secrets before the test can read the event.
 */
import { verifyWebhook, type WebhookEvent } from "@partner-commentary/client"
import { Encryption } from "@partner-commentary/core/shared/Encryption"
import { makeSecretEncryptionPurpose } from "@partner-commentary/core/webhook/WebhookSecret"
import { WebhookStore } from "@partner-commentary/core/webhook/WebhookStore"
import {
  NoWebhookResponse,
  type WebhookRequest,
  type WebhookResponse
} from "@partner-commentary/core/webhook/WebhookTransport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { InMemoryWebhookReceivers } from "./InMemoryWebhookReceivers.ts"
import { formatList, TestPartnerCommentaryError } from "./TestError.ts"
import type { TestInstance } from "./TestInstance.ts"
import { checkResponses } from "./TestOptions.ts"

/** The reason why a receiver does not respond. */
export type NoResponseReason = "dns" | "refused" | "reset" | "tls" | "timeout"

/** A receiver's reaction: a status, a full response, or a failure without a response. */
export type ReceiverResponse =
  | number
  | { readonly status: number; readonly retryAfter?: string; readonly body?: string }
  | NoResponseReason

/** Your own endpoint, as a fetch handler. */
export type WebhookEndpoint = (request: Request) => Response | Promise<Response>

/** One delivery attempt whose signature was verified. */
export interface ReceivedEvent {
  /** The webhook's URL. */
  readonly url: string
  /** The event's type determines the shape of `data`. */
  readonly event: WebhookEvent
  /** The request body, byte for byte. */
  readonly body: string
  /** All request headers, including the signature header. */
  readonly headers: Headers
  /** The time of the attempt by the instance's clock. */
  readonly at: Date
  /** The receiver's status, or the reason why there was no response. */
  readonly answer: number | NoResponseReason
  /** The error that your own endpoint threw. If your endpoint threw an error, the response was 500. */
  readonly error?: unknown
}

interface Handled {
  readonly answer: ReceiverResponse
  readonly error?: unknown
}

const excerptLength = 1024

/** All delivery attempts to an instance's webhooks, and the scripted responses. */
export class TestWebhooks {
  readonly #instance: TestInstance
  readonly #received: Array<ReceivedEvent> = []
  /** Events that the official client could not verify. Each unverified event is a fault of the service. */
  readonly #unverified: Array<unknown> = []
  readonly #script: Array<ReceiverResponse> = []
  readonly #handlers = new Map<string, WebhookEndpoint>()
  readonly #secrets = new Map<string, string>()

  /** @internal */
  constructor(instance: TestInstance) {
    this.#instance = instance
    instance.runSync(instance.service(InMemoryWebhookReceivers).answer((request) => this.#answering(request)))
  }

  /** All attempts so far, in the order of arrival. */
  get received(): ReadonlyArray<ReceivedEvent> {
    this.#instance.alive()
    for (const fault of this.#unverified) throw fault
    return [...this.#received]
  }

  /**
   * Returns the newest delivery attempt, optionally of one event type. If no attempt matches, throws an error that
   * lists the received event types.
   */
  latest<Type extends WebhookEvent["type"]>(type?: Type): ReceivedEvent & { readonly event: { readonly type: Type } } {
    const found = this.received.findLast(({ event }) => type === undefined || event.type === type)
    if (found !== undefined) return found as ReceivedEvent & { readonly event: { readonly type: Type } }
    throw new TestPartnerCommentaryError(
      `No event${type === undefined ? "" : ` of type ${type}`} arrived at a webhook. Arrived so far: ` +
        `${formatList(this.#received.map(({ event }) => event.type))}. Is a webhook registered for it, with a key of the same environment?`
    )
  }

  /**
   * Sets the responses to the next attempts at any URL, one response for each argument. The responses to all later
   * attempts are 200, or come from your handler.
   */
  answerNext(...answers: ReadonlyArray<ReceiverResponse>): void {
    this.#instance.alive()
    checkResponses(answers)
    this.#script.push(...answers)
  }

  /**
   * Lets your own endpoint respond for a URL. The endpoint may call the service. When the call that caused the event
   * resolves, all work that the endpoint has started in the service is done too.
   */
  handle(url: string, receiver: WebhookEndpoint): void {
    this.#instance.alive()
    this.#handlers.set(new URL(url).href, receiver)
  }

  readonly #answering = (request: WebhookRequest): Effect.Effect<Partial<WebhookResponse>, NoWebhookResponse> =>
    Effect.gen({ self: this }, function* () {
      const { body, url } = request
      const at = new Date(this.#instance.now)
      const event = yield* this.#verified(request, at)
      const headers = new Headers(request.headers)
      const scripted = this.#script.shift()
      const { answer, ...error } =
        scripted === undefined ? yield* Effect.promise(() => this.#handled(request, headers)) : { answer: scripted }
      const given = typeof answer === "number" ? { status: answer } : answer
      const seen = typeof given === "string" ? given : given.status
      this.#received.push({ url, event, body, headers, at, answer: seen, ...error })
      if (typeof given === "string") {
        return yield* new NoWebhookResponse({ failure: given, reason: `The test said: ${given}.` })
      }
      const { body: text = "", retryAfter = null, status } = given
      return { status, retryAfter, excerpt: text.slice(0, excerptLength) }
    })

  async #handled({ body, url }: WebhookRequest, headers: Headers): Promise<Handled> {
    const handler = this.#handlers.get(new URL(url).href)
    if (handler === undefined) return { answer: 200 }
    try {
      const request = new Request(url, { method: "POST", headers, body })
      const response = await this.#instance.receiving(() => handler(request))
      const retryAfter = response.headers.get("retry-after")
      const text = await response.text()
      return { answer: { status: response.status, body: text, ...(retryAfter === null ? {} : { retryAfter }) } }
    } catch (error) {
      return { answer: 500, error }
    }
  }

  #verified({ body, headers }: WebhookRequest, now: Date): Effect.Effect<WebhookEvent> {
    return Effect.flatMap(this.#openSecrets(), (secrets) =>
      Effect.promise(() =>
        verifyWebhook(body, headers, secrets, { now }).catch((error: unknown) => {
          this.#unverified.push(error)
          throw error
        })
      )
    )
  }

  #openSecrets(): Effect.Effect<ReadonlyArray<string>> {
    const store = this.#instance.service(WebhookStore)
    const seal = this.#instance.service(Encryption)
    return Effect.gen({ self: this }, function* () {
      const secrets: Array<string> = []
      for (const { id, encryptedSecret } of yield* store.encryptedSecrets(null, 10_000)) {
        const opened =
          this.#secrets.get(encryptedSecret) ??
          Option.getOrThrow(yield* seal.decrypt(makeSecretEncryptionPurpose(id), encryptedSecret))
        this.#secrets.set(encryptedSecret, opened)
        secrets.push(opened)
      }
      return secrets
    })
  }
}
