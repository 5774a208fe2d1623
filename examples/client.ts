/**
 * A partner's server uses the official client: it submits a topic, waits for the commentaries, and handles refusals.
 */

// #region client
import {
  ApiError,
  PartnerCommentary,
  type PartnerCommentaryOptions,
  type WaitOptions
} from "@partner-commentary/client"

/** `options` are, for example, `{ apiKey: "pk_live_…", baseUrl: "https://api.example.com" }`. */
export const requestCommentaries = async (options: PartnerCommentaryOptions, content: string, wait?: WaitOptions) => {
  const client = new PartnerCommentary(options)
  const personas = (await client.personas.list()).slice(0, 3) // with a test key, these three finish within seconds
  try {
    const { topic_id } = await client.topics.create({ content, persona_ids: personas.map(({ id }) => id) })
    const topic = await client.topics.waitFor(topic_id, wait)
    return topic.commentaries.map((each) => `${each.persona_name}: ${each.commentary?.content ?? each.failure?.reason}`)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "no_valid_personas") throw error
    return error.details.map((each) => `${each.persona_id}: ${each.status}`)
  }
}
// #endregion
