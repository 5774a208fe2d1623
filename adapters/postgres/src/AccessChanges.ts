/** Changes of keys and organizations, told to this process at once and to the others by the channel. */
import { AccessChanges } from "@partner-commentary/core/access/AccessChanges"
import * as Effect from "effect/Effect"
import { type Channel, lost } from "./Channel.ts"

const prefix = "access "

/** `own` is what forgets in this process. */
export const make = (channel: Channel, own: AccessChanges["Service"]): AccessChanges["Service"] => {
  channel.onMessage((message) => {
    if (message === lost) return own.tell("")
    return message.startsWith(prefix) ? own.tell(message.slice(prefix.length)) : Effect.void
  })
  return AccessChanges.of({
    tell: (changed) => Effect.andThen(own.tell(changed), channel.say(prefix + changed)),
    hear: own.hear
  })
}
