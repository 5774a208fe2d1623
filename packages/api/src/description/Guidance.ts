/** What a partner's engineer reads before any operation. */
import { testPersonas } from "@partner-commentary/core/sandbox/TestPersonas"

export const title = "Partner Commentary API"

/** Of the contract: its first number is the one in the path, its second grows with every addition. */
export const version = "1.0.0"

/** Whom every test key may ask. */
const personas = testPersonas
  .map(({ bio, id, name }) => `- **${name}**, \`${id}\`: ${bio.replace("A test persona. ", "")}`)
  .join("\n")

/** Where an integration is tried out. */
export const testEnvironment = `Keys that begin with \`pk_test_\` see a separate environment: topics and webhooks of their own, no mails, and simulated creators in place of people. Nothing is refused for a quota there, whatever \`remaining\` of \`GET /usage\` says; rate limits hold as they do for live keys.

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

Send your key in \`X-Api-Key\`. Keys have scopes: each operation names the one it needs. Keys that begin with \`pk_test_\` see a separate test environment, see below. API keys themselves are managed with a token of the partner dashboard, as \`Authorization: Bearer\`.

Keep keys on your servers. Rotate them every 90 days, and at once when one may have leaked.

## The test environment

${testEnvironment}

## Answers and errors

Every answer is JSON: \`{"success": true, "data": …}\`, or \`{"success": false, "error": {"code", "message", "details"}}\`. Decide by \`code\`; the words of \`message\` may change, and new codes may come: treat one that you do not know by its HTTP status. Every answer carries \`X-Request-Id\`: report it when something is wrong.

Moments are ISO 8601 in UTC. Unknown fields and parameters are ignored. New fields may come at any time, so ignore what you do not know.

## Rate limits

A key may make 1,000 requests an hour and 100 a minute (premium: 5,000 and 500). Creating topics, listing personas and reading topics have hourly limits of their own. \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` on every answer describe the hourly window with the fewest requests left. A request beyond a limit is answered with 429, \`rate_limit_exceeded\` and \`Retry-After\` in seconds. With \`details.quota\` a monthly quota is used up: do not retry by yourself.

## Idempotency

Send an \`Idempotency-Key\` with a \`POST\`, and repeat it safely: within 24 hours the same key with the same body gets the first answer again, marked by \`Idempotency-Replayed: true\`. The same key with another body is refused with 400. Only successes are kept.

## Versions

The version is in the path. Within \`v1\` changes are additions. What is deprecated carries \`Deprecation\` and \`Sunset\` headers six months before it goes.`
