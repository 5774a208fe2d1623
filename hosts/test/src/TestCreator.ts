/** A creator's hands in a test: what the human behind a persona does with the link in a mail. */
import { TestPartnerCommentaryError } from "./TestError.ts"
import type { TestInstance } from "./TestInstance.ts"
import type { TestMail } from "./TestMailbox.ts"

/** What a creator sees of one request. */
export interface CreatorView {
  /** The persona's part in the topic. */
  readonly share_id: string
  readonly status:
    | "topic_sent"
    | "opinion_injected"
    | "commentary_generated"
    | "creator_approved"
    | "declined"
    | "expired"
  readonly status_updated_at: string
  /** Who asks. */
  readonly organization: { readonly name: string }
  readonly persona: { readonly id: string; readonly name: string; readonly image_url: string }
  readonly topic: { readonly content: string }
  /** What the creator answered; null before. */
  readonly perspective: string | null
  /** The present one; null before the first. */
  readonly draft: {
    readonly id: string
    readonly content: string
    readonly number: number
    readonly created_at: string
  } | null
  /** Whether a draft is being written, or every attempt at one failed; null where there is none to write. */
  readonly generation: "running" | "stalled" | null
  /** What the creator approved. */
  readonly commentary: { readonly id: string; readonly content: string; readonly approved_at: string } | null
  /** The present deadline; null where there is none. */
  readonly expires_at: string | null
  /** Why no commentary will come; null where one may. */
  readonly failure: { readonly reason: string; readonly at: string } | null
}

type Action = "respond" | "decline" | "approve" | "revise" | "withdraw"

interface Answer {
  readonly success: boolean
  readonly data?: CreatorView
  readonly error?: { readonly code: string; readonly message: string; readonly details?: unknown }
}

/** The service did not let the creator do this. Nothing changed. */
export class CreatorRefused extends TestPartnerCommentaryError {
  override name = "CreatorRefused"
  /** `invalid_request` where the present state or the text does not allow it, `not_found` where the link is dead. */
  readonly code: string
  /** The HTTP status. */
  readonly status: number

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Every action answers with what the creator sees afterwards, when all that follows from it is done. */
export class TestCreator {
  readonly #instance: TestInstance
  /** The mail whose link is used. */
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

  /** What the creator sees behind the link. Looking changes nothing. */
  view(): Promise<CreatorView> {
    return this.#ask("look", this.#link, {})
  }

  /** The page behind the link, as HTML. */
  async page(): Promise<string> {
    const response = await this.#instance.handle(new Request(this.#link, { headers: { accept: "text/html" } }))
    return response.text()
  }

  /** Gives the creator's view in their own words; a draft is written from it at once, unless the generator fails. */
  async respond(perspective: string): Promise<CreatorView> {
    await this.#act("respond", { perspective })
    return this.view()
  }

  /** Says no, with a reason or without. */
  decline(reason?: string): Promise<CreatorView> {
    return this.#act("decline", reason === undefined ? {} : { reason })
  }

  /** Approves the present draft as it stands, or in these words instead. */
  async approve(content?: string): Promise<CreatorView> {
    return this.#act("approve", { ...(await this.#draft()), ...(content === undefined ? {} : { content }) })
  }

  /** Asks for another draft. */
  async revise(instructions: string): Promise<CreatorView> {
    await this.#act("revise", { ...(await this.#draft()), instructions })
    return this.view()
  }

  /** Takes it back after having responded. */
  withdraw(reason?: string): Promise<CreatorView> {
    return this.#act("withdraw", reason === undefined ? {} : { reason })
  }

  /** The draft that the creator has before them. */
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
