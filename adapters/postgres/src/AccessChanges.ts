/**
 * Announces changes of API keys and organizations, so that caches are cleared: immediately in this process, and over
 * the NOTIFY channel in other processes.
 */
import { AccessChanges } from "@partner-commentary/core/access/AccessChanges"
import * as Effect from "effect/Effect"
import { connectionLostMessage, type NotificationChannel } from "./Channel.ts"

const prefix = "access "

/** Combines the channel with the service `own`, which clears the caches of this process. */
export const make = (channel: NotificationChannel, own: AccessChanges["Service"]): AccessChanges["Service"] => {
  channel.onMessage((message) => {
    if (message === connectionLostMessage) return own.publish("")
    return message.startsWith(prefix) ? own.publish(message.slice(prefix.length)) : Effect.void
  })
  return AccessChanges.of({
    publish: (changed) => Effect.andThen(own.publish(changed), channel.say(prefix + changed)),
    subscribe: own.subscribe,
    hearsOthers: channel.isHeard
  })
}
