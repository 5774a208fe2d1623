/** Contains the section of the API description about the test environment. */
import { testPersonas } from "@partner-commentary/core/persona/TestPersonas"

/** The list of the personas that every test key can use. */
const personas = testPersonas
  .map(({ bio, id, name }) => `- **${name}**, \`${id}\`: ${bio.replace("A test persona. ", "")}`)
  .join("\n")

/** The text that explains how to test an integration. */
export const testEnvironmentDescription = `Keys that begin with \`pk_test_\` use a separate test environment. It has its own topics and webhooks, sends no mail, makes no audio and video, and simulates the creators. No monthly quota applies there, whatever \`remaining\` of \`GET /usage\` shows; rate limits apply as for live keys. Test topics are deleted after 30 days, with everything that belongs to them. The test environment stores a limited number of topics and bytes for each organization. Above that limit, a new topic is refused with 429 and \`details.quota\` \`test_topics\` or \`test_bytes\`.

A simulated creator takes one step every 1.5 seconds, so a commentary is approved 4.5 seconds after submission. \`GET /personas\` of a test key lists five test personas first. They need no license, and their ids never change:

${personas}

All other licensed personas approve, unless the topic's content contains a magic word: \`[decline]\`, \`[expire]\` or \`[fail]\`, in any letter case. If there are several, the first one counts. Magic words do not affect the five test personas. For every persona, \`POST /test/assignments/{share_id}/advance\` takes the next step at once, or a step that you choose. The \`share_id\` is in the topic's \`results\`.

In the test environment, the same content is a duplicate for 60 seconds instead of 24 hours.`
