/** A partner's application, as small as one can be: it asks a panel about a match, and publishes what creators approve. */
import { type PartnerCommentary, verifyWebhook } from "@partner-commentary/client"

export interface Options {
  readonly client: PartnerCommentary
  /** Where the service reports to, and what it signs with. */
  readonly webhook: { readonly url: string; readonly secret: string }
  /** The machine's, but in tests. */
  readonly now?: () => Date
}

export class Newsroom {
  readonly published: Array<string> = []
  readonly missed: Array<string> = []
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  async ask(question: string): Promise<string> {
    const { client } = this.#options
    const panel = await client.personas.list()
    const topic = await client.topics.create({ content: question, persona_ids: panel.map(({ id }) => id) })
    return topic.topic_id
  }

  /** The webhook's endpoint, as Hono, Next.js and others take it. */
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
