/**
 * The receivers behind a test's webhooks, in memory: nothing is dialled. Each event's signature is verified by the
 * official client before anybody sees it, with the secret of the webhook that it was sent for.
 */
import { verifyWebhook, type WebhookEvent } from "@partner-commentary/client"
import { Encryption } from "@partner-commentary/core/shared/Encryption"
import { encryptionPurpose } from "@partner-commentary/core/webhook/WebhookSecret"
import { WebhookStore } from "@partner-commentary/core/webhook/WebhookStore"
import {
  type WebhookAnswer,
  WebhookNotSent,
  type WebhookRequest
} from "@partner-commentary/core/webhook/WebhookTransport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Receivers } from "./Receivers.ts"
import { listed, TestPartnerCommentaryError } from "./TestError.ts"
import type { TestInstance } from "./TestInstance.ts"

/** Why a receiver gives no answer. */
export type NoAnswer = "dns" | "refused" | "reset" | "tls" | "timeout"

/** A status, an answer with more to it, or none. */
export type ReceiverAnswer =
  | number
  | { readonly status: number; readonly retryAfter?: string; readonly body?: string }
  | NoAnswer

/** Your own endpoint, as a fetch handler. */
export type Receiver = (request: Request) => Response | Promise<Response>

/** One attempt that arrived at a receiver, its signature verified. */
export interface ReceivedEvent {
  /** The webhook's. */
  readonly url: string
  /** Its type tells what `data` holds. */
  readonly event: WebhookEvent
  /** Byte for byte. */
  readonly body: string
  /** The signature's among them. */
  readonly headers: Headers
  /** By the instance's clock. */
  readonly at: Date
  /** The status that the receiver gave, or why it gave none. */
  readonly answer: number | NoAnswer
  /** What your own endpoint threw; the answer was 500 then. */
  readonly error?: unknown
}

interface Handled {
  readonly answer: ReceiverAnswer
  readonly error?: unknown
}

const excerptLength = 1024

/** Everything that arrived at an instance's webhooks, and what is answered there. */
export class TestWebhooks {
  readonly #instance: TestInstance
  readonly #received: Array<ReceivedEvent> = []
  /** The service's own faults: events that the official client would not have believed. */
  readonly #unverified: Array<unknown> = []
  readonly #script: Array<ReceiverAnswer> = []
  readonly #handlers = new Map<string, Receiver>()
  readonly #secrets = new Map<string, string>()

  /** @internal */
  constructor(instance: TestInstance) {
    this.#instance = instance
    instance.runSync(instance.service(Receivers).answer((request) => this.#answering(request)))
  }

  /** Every attempt so far, in the order of arrival. */
  get received(): ReadonlyArray<ReceivedEvent> {
    this.#instance.alive()
    for (const fault of this.#unverified) throw fault
    return [...this.#received]
  }

  /** The newest attempt that arrived, of one type if you name it. Throws when there is none, and says what did arrive. */
  latest<Type extends WebhookEvent["type"]>(type?: Type): ReceivedEvent & { readonly event: { readonly type: Type } } {
    const found = this.received.findLast(({ event }) => type === undefined || event.type === type)
    if (found !== undefined) return found as ReceivedEvent & { readonly event: { readonly type: Type } }
    throw new TestPartnerCommentaryError(
      `No event${type === undefined ? "" : ` of type ${type}`} arrived at a webhook. Arrived so far: ` +
        `${listed(this.#received.map(({ event }) => event.type))}. Is a webhook registered for it, with a key of the same environment?`
    )
  }

  /** What the next attempts are answered with, one each, wherever they go. Afterwards it is 200 again, or your handler's answer. */
  answerNext(...answers: ReadonlyArray<ReceiverAnswer>): void {
    this.#instance.alive()
    this.#script.push(...answers)
  }

  /**
   * Has your own endpoint answer for a URL. It may call the service while it answers. What follows from its calls is done
   * by the time the call returns that the event came of.
   */
  handle(url: string, receiver: Receiver): void {
    this.#instance.alive()
    this.#handlers.set(new URL(url).href, receiver)
  }

  readonly #answering = (request: WebhookRequest): Effect.Effect<Partial<WebhookAnswer>, WebhookNotSent> =>
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
        return yield* new WebhookNotSent({ failure: given, reason: `The test said: ${given}.` })
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
          Option.getOrThrow(yield* seal.decrypt(encryptionPurpose(id), encryptedSecret))
        this.#secrets.set(encryptedSecret, opened)
        secrets.push(opened)
      }
      return secrets
    })
  }
}
