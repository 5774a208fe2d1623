/** Performs the actions of a creator in a test, through the creator link in a mail. */
import { TestPartnerCommentaryError } from "./TestError.ts"
import type { TestInstance } from "./TestInstance.ts"
import type { TestMail } from "./TestMailbox.ts"

/** One assignment as the creator sees it. */
export interface CreatorView {
  /** The id of the persona's assignment in the topic. */
  readonly share_id: string
  readonly status:
    | "topic_sent"
    | "opinion_injected"
    | "commentary_generated"
    | "creator_approved"
    | "declined"
    | "expired"
  readonly status_updated_at: string
  /** The name of the organization that sent the topic. */
  readonly organization: { readonly name: string }
  readonly persona: { readonly id: string; readonly name: string; readonly image_url: string }
  readonly topic: { readonly content: string }
  /** The perspective with which the creator responded, or null before the response. */
  readonly perspective: string | null
  /** The current draft, or null before the first draft. */
  readonly draft: {
    readonly id: string
    readonly content: string
    readonly number: number
    readonly created_at: string
  } | null
  /** Says whether a draft is being generated or every attempt failed, and is null if no draft is needed. */
  readonly generation: "running" | "stalled" | null
  /** The approved commentary, or null if there is no approved commentary. */
  readonly commentary: { readonly id: string; readonly content: string; readonly approved_at: string } | null
  /** The current deadline, or null if there is no deadline. */
  readonly expires_at: string | null
  /** The reason why there will be no commentary, or null while a commentary is still possible. */
  readonly failure: { readonly reason: string; readonly at: string } | null
}

type Action = "respond" | "decline" | "approve" | "revise" | "withdraw"

interface Answer {
  readonly success: boolean
  readonly data?: CreatorView
  readonly error?: { readonly code: string; readonly message: string; readonly details?: unknown }
}

/** The service refused a creator's action, and the action changed nothing. */
export class CreatorRefused extends TestPartnerCommentaryError {
  override name = "CreatorRefused"
  /**
   * The error code is `invalid_request` if the current state or the text does not allow the action, and `not_found` if
   * the link is no longer valid.
   */
  readonly code: string
  /** The HTTP status of the refusal. */
  readonly status: number

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** A creator in a test. Each action resolves with the creator's view after all resulting work is done. */
export class TestCreator {
  readonly #instance: TestInstance
  /** The mail that contains the creator's link. */
  readonly mail: TestMail
  readonly #link: string

  /** @internal */
  constructor(instance: TestInstance, mail: TestMail) {
    if (mail.link === null) {
      throw new TestPartnerCommentaryError(`The mail “${mail.subject}” to ${mail.to.address} has no creator's link.`)
    }
    this.#instance = instance
    this.mail = mail
    this.#link = mail.link
  }

  /** Reads the creator's view, to which the creator's link gives access. Reading the view changes nothing. */
  view(): Promise<CreatorView> {
    return this.#ask("look", this.#link, {})
  }

  /** Reads the HTML page that the creator's link opens. */
  async page(): Promise<string> {
    const response = await this.#instance.handle(new Request(this.#link, { headers: { accept: "text/html" } }))
    return response.text()
  }

  /** Submits the creator's perspective. The draft is ready when the promise resolves, unless the generator fails. */
  async respond(perspective: string): Promise<CreatorView> {
    await this.#act("respond", { perspective })
    return this.view()
  }

  /** Declines the request, with or without a reason. */
  decline(reason?: string): Promise<CreatorView> {
    return this.#act("decline", reason === undefined ? {} : { reason })
  }

  /** Approves the current draft, or `content` instead of the draft's text. */
  async approve(content?: string): Promise<CreatorView> {
    return this.#act("approve", { ...(await this.#draft()), ...(content === undefined ? {} : { content }) })
  }

  /** Requests another draft. */
  async revise(instructions: string): Promise<CreatorView> {
    await this.#act("revise", { ...(await this.#draft()), instructions })
    return this.view()
  }

  /** Withdraws from the assignment after the creator has responded, so that no commentary is published. */
  withdraw(reason?: string): Promise<CreatorView> {
    return this.#act("withdraw", reason === undefined ? {} : { reason })
  }

  /** Returns the creator's current draft. */
  async #draft(): Promise<{ readonly draft_id?: string }> {
    const { draft } = await this.view()
    return draft === null ? {} : { draft_id: draft.id }
  }

  #act(action: Action, body: object): Promise<CreatorView> {
    return this.#ask(action, `${this.#link}/${action}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
  }

  async #ask(what: string, url: string, init: RequestInit): Promise<CreatorView> {
    const headers = { ...(init.headers as Record<string, string> | undefined), accept: "application/json" }
    const response = await this.#instance.handle(new Request(url, { ...init, headers }))
    const answer = (await response.json()) as Answer
    if (answer.data !== undefined) return answer.data
    const { code = "unknown", details, message = "" } = answer.error ?? {}
    const more = details === undefined ? "" : ` ${JSON.stringify(details)}`
    throw new CreatorRefused(
      response.status,
      code,
      `The creator behind ${this.mail.to.address} could not ${what}: ${code}: ${message}${more}`
    )
  }
}
