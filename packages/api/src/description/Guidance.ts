/** The introduction of the API description. */

import { testPersonas } from "@partner-commentary/core/persona/TestPersonas"
import { defaults as webhooks } from "@partner-commentary/core/shared/WebhookPolicy"
import * as Duration from "effect/Duration"

export const title = "Partner Commentary API"

/** The version of the contract. The major version is in the path, and the minor version increases with additions. */
export const version = "1.0.0"

const {
  breakerEvents,
  breakerFailures,
  breakerUnreachedEvents,
  disableAfter,
  disableEvents,
  disableFailures,
  probeDelay,
  probeDelayMax,
  retries,
  timeout,
  warnAfter,
  warnFailures
} = webhooks

const seconds = Duration.toSeconds

/** Formats a duration in the largest unit that gives a whole number. */
const length = (duration: Duration.Duration): string => {
  const hours = Duration.toHours(duration)
  const minutes = Duration.toMinutes(duration)
  if (Number.isInteger(hours)) return hours === 1 ? "1 hour" : `${hours} hours`
  return Number.isInteger(minutes) ? `${minutes} minutes` : `${seconds(duration)} seconds`
}

const list = (parts: ReadonlyArray<string>): string => `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`

/** The personas that every test key can use. */
const personas = testPersonas
  .map(({ bio, id, name }) => `- **${name}**, \`${id}\`: ${bio.replace("A test persona. ", "")}`)
  .join("\n")

/** The text about how to test an integration. */
export const testEnvironment = `Keys that begin with \`pk_test_\` see a separate environment: topics and webhooks of their own, no mails, and simulated creators in place of people. No monthly quota holds there, whatever \`remaining\` of \`GET /usage\` says; rate limits hold as they do for live keys. Test topics are deleted after 30 days, with everything that belongs to them. The test environment stores a limited number of topics and bytes for an organization; beyond that a topic is refused with 429 and \`details.quota\` \`test_topics\` or \`test_bytes\`.

A simulated creator takes a step every 1.5 seconds: a commentary is approved 4.5 seconds after submission. Five test personas stand first in \`GET /personas\` of a test key, need no license, and have ids that never change:

${personas}

The personas that you hold licenses for approve, unless the topic's content holds a magic word: \`[decline]\`, \`[expire]\` or \`[fail]\`, in any letter case; the first one counts. Test personas keep to their own path. To any of them \`POST /test/assignments/{share_id}/advance\` takes the next step, or one that you name, at once; \`share_id\` is in the topic's \`results\`.

The same content is a duplicate for 60 seconds instead of 24 hours.`

export const guidance = `Opinion commentary from licensed personas. You send a topic to personas; their human creators answer, a draft is written, they approve it, and you fetch the commentary.

## The way of a topic

1. \`GET /personas\` lists whom you may ask.
2. \`POST /topics\` sends a topic to one or many of them, in one request.
3. Poll \`GET /topics/{id}/status\` every 30 to 60 seconds, or register a webhook. Allow 24 to 48 hours: people are at work.
4. \`GET /topics/{id}/commentaries\` has what is ready; \`GET /topics/by-reference/{ref}\` finds it by your own identifier.

\`overall_status\` is \`completed\` when nothing more will come, which includes personas that declined or did not answer in time.

## Authentication

Send your key in \`X-Api-Key\`. Keys have scopes: each operation names the one it needs, and \`GET /me\` tells what a key has. Operations on webhooks need \`webhooks:read\` or \`webhooks:write\`; a key that has neither may use \`topics:read\` and \`topics:submit\` instead. Keys that begin with \`pk_test_\` see a separate test environment, see below. API keys themselves are managed with a token of the partner dashboard, as \`Authorization: Bearer\`.

Keep keys on your servers. Rotate them every 90 days, and at once when one may have leaked.

## The test environment

${testEnvironment}

## Answers and errors

Every answer is JSON: \`{"success": true, "data": …}\`, or \`{"success": false, "error": {"code", "message", "details"}}\`. Decide by \`code\`; the words of \`message\` may change, and new codes may come: treat one that you do not know by its HTTP status. Every answer carries \`X-Request-Id\`: report it when something is wrong.

Moments are ISO 8601 in UTC. Unknown fields and parameters are ignored. New fields and event types may come at any time, so ignore what you do not know.

## Rate limits

A key may make 1,000 requests an hour and 100 a minute (premium: 5,000 and 500). Creating topics, listing personas and reading topics have hourly limits of their own. \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` on every answer describe the hourly window with the fewest requests left; \`RateLimit-Policy\` and \`RateLimit\` describe every window, the minute included. A request beyond a limit is answered with 429, \`rate_limit_exceeded\` and \`Retry-After\` in seconds. With \`details.quota\` a monthly quota, or the test environment's storage, is used up: do not retry by yourself.

## Idempotency

Send an \`Idempotency-Key\` with a \`POST\`, and repeat it safely: within 24 hours the same key with the same body gets the first answer again, marked by \`Idempotency-Replayed: true\`. The same key with another body is refused with 400. Only successes are kept.

## Webhooks

Register one with \`POST /webhooks\`, keep the secret that its answer shows once, and try it with \`POST /webhooks/{id}/test\`. Each event is a POST of JSON, signed by [Standard Webhooks](https://www.standardwebhooks.com): their libraries verify it in many languages. By hand, from the body's bytes as they came, before any parser:

1. Refuse a \`webhook-timestamp\` that is more than 5 minutes from your clock.
2. The key is, of a secret that begins with \`whsec_\`, what the base64 behind that stands for; of any other, its own bytes.
3. Take HMAC-SHA256 of \`{webhook-id}.{webhook-timestamp}.{body}\` under the key, in base64.
4. Compare it, in constant time, with what follows \`v1,\` in \`webhook-signature\`, which may hold several with blanks between them: one that fits is enough.

\`\`\`js
import { createHmac, timingSafeEqual } from "node:crypto"

const isGenuine = (secret, headers, body) => {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret)
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false
  const mine = createHmac("sha256", key).update(\`\${id}.\${timestamp}.\`).update(body).digest()
  return (signatures ?? "").split(" ").some((one) => {
    const theirs = Buffer.from(one.replace(/^v1,/, ""), "base64")
    return theirs.length === mine.length && timingSafeEqual(theirs, mine)
  })
}
\`\`\`

To replace the secret, call \`POST /webhooks/{id}/rotate-secret\` and give the new one to your endpoint within the grace period, a day by default: until then each event is signed with both.

Answer with a 2xx within ${seconds(timeout)} seconds, and work afterwards. Every event arrives at least once, in no certain order: remember \`id\`, and take the higher \`sequence\` of a \`share_id\` for the newer. What is not answered so is tried again after ${list(retries.map(length))}, each up to a tenth longer; \`Retry-After\` with 503 is kept to. After a 429, all deliveries of the webhook wait until its \`Retry-After\`, and longer after each further 429; an event loses no attempt by it, and your organization's contact is mailed when events are late by an hour. 410 disables the webhook at once; so do ${disableFailures} failures in a row over ${length(disableAfter)} and at least ${disableEvents} events. Your organization's contact is warned by e-mail before, after ${warnFailures} over ${length(warnAfter)}.

Nothing is lost meanwhile: events for a webhook that is paused or disabled are held for 30 days, and go out oldest first when it is \`active\` again. After ${breakerFailures} failures in a row over at least ${breakerEvents} events, or ${breakerUnreachedEvents} events for which nobody could be reached, they are held too, and one is tried after ${seconds(probeDelay)} seconds, then ever more seldom, every ${length(probeDelayMax)} at least, until one arrives. The webhook shows it: \`circuit\`, \`held_count\`, and \`disabled_reason\`. \`GET /webhooks/{id}/deliveries\` shows every attempt; \`…/retry\` and \`…/recover\` send again, and have an endpoint tried at once. \`GET /events\` lists what was sent, to compare. Where the operator publishes them, \`{api_root}/.well-known/webhook-sources\` lists the addresses that we send from, for your firewall.

## Versions

The version is in the path. Within \`v1\` changes are additions. What is deprecated carries \`Deprecation\` and \`Sunset\` headers six months before it goes.`
