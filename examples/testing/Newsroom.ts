/**
 * A minimal application of a partner. The application asks personas a question and publishes the approved commentaries.
 */
import { type PartnerCommentary, verifyWebhook } from "@partner-commentary/client"

export interface NewsroomOptions {
  readonly client: PartnerCommentary
  /** The webhook's URL and its signing secret. */
  readonly webhook: { readonly url: string; readonly secret: string }
  /** Returns the current time. Tests pass a function that returns the test clock's time. */
  readonly now?: () => Date
}

export class Newsroom {
  readonly published: Array<string> = []
  readonly missed: Array<string> = []
  readonly #options: NewsroomOptions

  constructor(options: NewsroomOptions) {
    this.#options = options
  }

  async ask(question: string): Promise<string> {
    const { client } = this.#options
    const panel = await client.personas.list()
    const topic = await client.topics.create({ content: question, persona_ids: panel.map(({ id }) => id) })
    return topic.topic_id
  }

  /** The webhook's endpoint, as a Web-standard handler for Hono, Next.js and others. */
  readonly receive = async (request: Request): Promise<Response> => {
    const { client, now = () => new Date(), webhook } = this.#options
    const event = await verifyWebhook(await request.text(), request.headers, webhook.secret, { now: now() })
    if (event.type === "creator.approved") {
      const { commentary, persona, topic_id } = event.data
      await client.topics.approveCommentary(topic_id, commentary.id)
      this.published.push(`${persona.name}: ${commentary.content}`)
    }
    if (event.type === "commentary.failed") this.missed.push(`${event.data.persona.name} (${event.data.reason})`)
    return new Response(null, { status: 204 })
  }
}
