/**
 * Defines the command `listen`, which forwards to a receiver the events that the API key can read. The forwarded events
 * are signed like webhook deliveries of the service.
 */
import type { PartnerCommentary } from "../PartnerCommentary.ts"
import { commonFlags, makeClientFromArguments } from "./Access.ts"
import type { FlagDefinitions, ParsedArguments } from "./Arguments.ts"
import { forwardEvent, parseReceiverUrl } from "./Receiver.ts"
import { generateSecret, makeSigner } from "./Secret.ts"
import { type CommandContext, UsageError } from "./Terminal.ts"
import { allEventTypes } from "./Trigger.ts"

export const listenCommandFlags = {
  "forward-to": { value: "URL", description: "The receiver, such as http://localhost:3000/hook" },
  events: { value: "A,B", description: "Only these event types" },
  secret: { value: "SECRET", description: "The signing secret. Default: a new secret on each start" },
  live: { description: "Accept a live key, and forward the events of real creators" },
  ...commonFlags
} satisfies FlagDefinitions

const wantedTypes = (given: string | undefined): ReadonlySet<string> => {
  const wanted = given?.split(",") ?? allEventTypes
  const unknown = wanted.find((type) => !allEventTypes.some((each) => each === type))
  if (unknown === undefined) return new Set(wanted)
  throw new UsageError(`--events must list some of ${allEventTypes.join(", ")}, not ${JSON.stringify(unknown)}.`)
}

/** Replaces control characters, which could rewrite other lines of a terminal. */
const plain = (text: string) => text.replace(/\p{Cc}/gu, " ")

/** Returns the position after the event that was stored last, which is not always the event with the latest time. */
const lastPosition = async ({ events }: PartnerCommentary, signal: AbortSignal): Promise<string | undefined> => {
  const [newest] = (await events.list({ limit: 1 }, { signal })).data
  let place = newest?.id
  const later = events.list({ order: "asc", after: place, limit: 100 }, { signal })
  for await (const { pagination } of later.pages()) place = pagination.next_cursor ?? place
  return place
}

export const runListenCommand = async (parsed: ParsedArguments, terminal: CommandContext): Promise<void> => {
  const { out, say, signal } = terminal
  const { flags } = parsed
  const forwardTo = flags.get("forward-to")
  if (forwardTo === undefined) throw new UsageError("--forward-to is missing.")
  const receiver = parseReceiverUrl(forwardTo)
  const types = wantedTypes(flags.get("events"))
  // Print only a generated secret, because a secret from the arguments may be in use elsewhere, and logs may keep the
  // output.
  const isGiven = flags.has("secret")
  const secret = flags.get("secret") ?? generateSecret()
  const sign = await makeSigner(secret)
  const { client, isTest } = makeClientFromArguments(parsed, terminal)
  if (!isTest && !flags.has("live")) {
    throw new UsageError("This is a live key: use one that begins with pk_test_, or pass --live.")
  }

  const json = flags.has("print-json")
  const after = await lastPosition(client, signal)
  if (json) out(JSON.stringify({ ready: true, ...(isGiven ? {} : { secret }), forward_to: receiver }))
  say(`Forwarding new events to ${receiver}.${isGiven ? "" : ` The webhook secret is ${secret}`}`)
  const onOutage = (error: Error) => say(`${error.message} Trying again.`)
  for await (const event of client.events.follow({ after, signal, onOutage })) {
    if (!types.has(event.type)) continue
    const attempt = await forwardEvent(event, receiver, sign, terminal)
    if (json) out(JSON.stringify({ event, ...attempt }))
    else {
      const time = event.timestamp.slice(11, 19)
      const result = attempt.status ?? attempt.error
      out(plain(`${time}  ${event.type}  ${event.id}  ${result}  ${attempt.latency_ms} ms`))
    }
  }
}
