/** Contains the introduction of the API description. */

import { defaults as webhooks } from "@partner-commentary/core/shared/WebhookPolicy"
import * as Duration from "effect/Duration"
import { testEnvironmentDescription } from "./TestEnvironment.ts"

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

export const apiIntroduction = `Opinion commentary from licensed personas. You submit a topic to personas. The service generates a draft from each creator's answer, the creator approves it, and you fetch the commentary.

## The life of a topic

1. \`GET /personas\` lists the personas that you can submit topics to.
2. \`POST /topics\` submits a topic to one or more personas in one request.
3. Poll \`GET /topics/{id}/status\` every 30 to 60 seconds, register a webhook, or follow \`GET /events/stream\`. Allow 24 to 48 hours, because people answer and approve.
4. \`GET /topics/{id}/commentaries\` returns the commentaries that are ready. \`GET /topics/by-reference/{ref}\` finds them by your own identifier.

\`overall_status\` is \`completed\` when no further commentary will come. This includes personas that declined or did not answer in time.

## Authentication

Send your key in the \`X-Api-Key\` header. Keys have scopes: each operation names the scope that it requires, and \`GET /me\` lists the scopes of a key. Operations on webhooks require \`webhooks:read\` or \`webhooks:write\`. A key without any webhook scope can use \`topics:read\` and \`topics:submit\` instead. Keys that begin with \`pk_test_\` use a separate test environment, see below. To manage API keys themselves, send a token of the partner dashboard as \`Authorization: Bearer\`.

Keep keys on your servers. Rotate each key every 90 days, and immediately if it may have leaked.

## The test environment

${testEnvironmentDescription}

## Responses and errors

Every response is JSON: \`{"success": true, "data": …}\`, or \`{"success": false, "error": {"code", "message", "details"}}\`. Let your program decide by \`code\`, because the text of \`message\` may change. New codes may be added: handle a code that you do not know by its HTTP status. Every response has an \`X-Request-Id\`: include it when you report a problem.

Timestamps are ISO 8601 in UTC. The service ignores unknown fields and parameters. New fields and event types may be added at any time, so ignore those that you do not know.

## Rate limits

A key can make 1,000 requests an hour and 100 a minute (premium: 5,000 and 500). Creating topics, listing personas and reading topics also have hourly limits of their own. \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` on every response describe the hourly window with the fewest requests left. \`RateLimit-Policy\` and \`RateLimit\` describe every window, the minute included. A request above a limit gets 429 with the code \`rate_limit_exceeded\`, and \`Retry-After\` in seconds. With \`details.quota\`, a monthly quota or the test environment's storage is used up: do not retry automatically.

## Idempotency

Send an \`Idempotency-Key\` with a \`POST\` to make it safe to retry. For 24 hours, a request with the same key and the same body gets the first response again, with \`Idempotency-Replayed: true\`. The same key with another body is refused with 400. Only successful responses are stored.

## Webhooks

Register a webhook with \`POST /webhooks\`, and store the secret: only this response shows it. Test the webhook with \`POST /webhooks/{id}/test\`. Each event is a POST request with a JSON body, signed as [Standard Webhooks](https://www.standardwebhooks.com) defines. The libraries of Standard Webhooks verify signatures in many languages. To verify a signature yourself, use the raw bytes of the body, before any parser:

1. Reject a \`webhook-timestamp\` that differs from your clock by more than 5 minutes.
2. Derive the key from the secret. If the secret begins with \`whsec_\`, decode the rest from base64. Otherwise the key is the bytes of the secret.
3. Compute the HMAC-SHA256 of \`{webhook-id}.{webhook-timestamp}.{body}\` with this key, in base64.
4. \`webhook-signature\` contains one or more signatures, separated by spaces. Each one begins with \`v1,\`. Accept the request if one of them equals yours. Compare in constant time.

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

To replace the secret, call \`POST /webhooks/{id}/rotate-secret\`, and configure the new secret in your endpoint within the grace period, which is a day by default. Until it ends, each event is signed with both secrets.

Respond with a 2xx status within ${seconds(timeout)} seconds, and do the work afterwards. Every event arrives at least once, in no guaranteed order. Store the \`id\` of each event to detect repeats, and of two events with the same \`share_id\`, take the one with the higher \`sequence\` as the newer. After any other response, the event is retried after ${list(retries.map(length))}, each delay up to 10 % longer. A \`Retry-After\` with 503 is respected. After a 429, all deliveries of the webhook wait until its \`Retry-After\`, and longer after each further 429. A 429 does not use up an attempt, and your organization's contact gets an e-mail when events are an hour late. A 410 disables the webhook immediately. It is also disabled after ${disableFailures} consecutive failures over ${length(disableAfter)} and at least ${disableEvents} events. Your organization's contact gets a warning by e-mail earlier, after ${warnFailures} consecutive failures over ${length(warnAfter)}.

Meanwhile no event is lost. Events for a webhook that is paused or disabled are held for 30 days, and sent oldest first when it is \`active\` again. Events are also held after ${breakerFailures} consecutive failures over at least ${breakerEvents} events, or after ${breakerUnreachedEvents} consecutive events for which the endpoint could not be reached. Then one event is tried after ${seconds(probeDelay)} seconds, and again after longer and longer delays, at most ${length(probeDelayMax)}, until one arrives. The fields \`circuit\`, \`held_count\` and \`disabled_reason\` of the webhook show this state. \`GET /webhooks/{id}/deliveries\` shows every attempt. \`…/retry\` and \`…/recover\` send events again, and try the endpoint at once. \`GET /events\` lists the events that were sent, so that you can compare. \`GET /events/stream\` sends each event as soon as it is stored. If the operator publishes them, \`{api_root}/.well-known/webhook-sources\` lists the addresses that requests come from, for your firewall.

## Versions

The version is in the path. Changes within \`v1\` only add. Responses of a deprecated operation have \`Deprecation\` and \`Sunset\` headers six months before the operation is removed.`
