/**
 * Compares the requests that receivers got with the attempts in the database. Each logged attempt must match one
 * received request with the same status. A received request without a logged attempt must come from a worker that was
 * killed during the request. Each claim of a delivery has a number. If a worker was killed during its request, the
 * claim number of this request is missing in the log of attempts.
 */
import type { DeliveryLedger, LoggedAttempt } from "./DeliveryLedger.ts"
import type { ReceivedWebhookRequest } from "./Receivers.ts"

export interface DeliveryTestRecord {
  readonly books: DeliveryLedger
  readonly arrived: ReadonlyArray<ReceivedWebhookRequest>
  /** Maps receiver paths to webhook ids. */
  readonly webhooks: ReadonlyMap<string, string>
  /** The assignments that must each produce exactly one event. */
  readonly shares: ReadonlyArray<string>
  readonly kills: ReadonlyArray<number>
  /**
   * The lease of a delivery in milliseconds. An attempt may stay unrecorded until the lease expires and another worker
   * claims the delivery.
   */
  readonly lease: number
}

export interface DeliveryComparison {
  readonly mistakes: ReadonlyArray<string>
  readonly figures: Readonly<Record<string, number>>
}

/** The tolerance in milliseconds between the timestamps of a worker and of a receiver. */
const slack = 5

/** The maximum time in milliseconds until a busy receiver reads a killed worker's request from the socket buffer. */
const unread = 1000

export const compareDeliveries = (course: DeliveryTestRecord): DeliveryComparison => {
  const { arrived, books, kills, shares, webhooks } = course
  const mistakes: Array<string> = []
  const payloads = new Map(books.events.map(({ id, payload }) => [`evt_${id}`, payload]))
  const told = new Set(books.events.map(({ share_id }) => share_id))
  if (books.integrity !== "ok") mistakes.push(books.integrity)
  if (books.events.length !== shares.length || shares.some((share) => !told.has(share))) {
    mistakes.push(`${shares.length} assignments, of which ${told.size} have ${books.events.length} events`)
  }

  for (const { body, forged, hook, id } of arrived) {
    if (forged !== null) mistakes.push(`${id} at ${hook}: ${forged}`)
    if (payloads.get(id) !== body) mistakes.push(`${id} at ${hook}: other bytes than the event's`)
    if ((JSON.parse(body) as { readonly id: string }).id !== id) mistakes.push(`${id} at ${hook}: another id within`)
  }

  const seenBy = Map.groupBy(arrived, ({ hook, id }) => `${webhooks.get(hook)} ${id}`)
  const loggedBy = Map.groupBy(books.attempts, ({ event_id, webhook_id }) => `${webhook_id} evt_${event_id}`)
  const figures = { arrived: arrived.length, logged: books.attempts.length, unlogged: 0, lostTickets: 0, repeats: 0 }
  const known = new Set(books.deliveries.map(({ event_id, webhook_id }) => `${webhook_id} evt_${event_id}`))
  for (const name of seenBy.keys()) if (!known.has(name)) mistakes.push(`${name}: no such delivery`)

  for (const { claim_number, event_id, state, webhook_id } of books.deliveries) {
    const name = `${webhook_id} evt_${event_id}`
    const seen = seenBy.get(name) ?? []
    const logged = loggedBy.get(name) ?? []
    const { unlogged, unseen } = matched(seen, logged)
    const lost = claim_number - logged.length
    figures.unlogged += unlogged.length
    figures.lostTickets += lost
    figures.repeats += Math.max(0, seen.filter(({ status }) => status === 204).length - 1)
    if (state !== "delivered") mistakes.push(`${name}: ${state}`)
    if (!seen.some(({ status }) => status === 204)) mistakes.push(`${name}: never taken by its receiver`)
    if (logged.filter(({ failure }) => failure === null).length !== 1)
      mistakes.push(`${name}: not one success is logged`)
    for (const one of unseen) mistakes.push(`${name}: logged and not seen: ${JSON.stringify(one)}`)
    if (unlogged.length > lost) mistakes.push(`${name}: ${unlogged.length} seen and not logged, ${lost} claims lost`)
    for (const { at } of unlogged) {
      if (!kills.some((kill) => kill >= at - unread && kill <= at + course.lease)) {
        mistakes.push(`${name}: seen at ${at} and not logged, and nobody was killed`)
      }
    }
  }
  for (const { consecutive_failures, status } of books.webhooks) {
    if (status !== "active" || consecutive_failures > 0)
      mistakes.push(`a webhook ends ${status}, ${consecutive_failures}`)
  }
  return { mistakes, figures }
}

/**
 * Matches each logged attempt with a request that arrived during the attempt and got the same status. The receiver may
 * have answered a timed-out request later, or never.
 */
const matched = (seen: ReadonlyArray<ReceivedWebhookRequest>, logged: ReadonlyArray<LoggedAttempt>) => {
  const left = [...seen]
  const take = (isIt: (one: ReceivedWebhookRequest) => boolean) => {
    const place = left.findIndex(isIt)
    if (place >= 0) left.splice(place, 1)
    return place >= 0
  }
  const [timedOut, ended] = [
    logged.filter(({ failure }) => failure === "timeout"),
    logged.filter(({ failure }) => failure !== "timeout")
  ]
  const unseen = ended.filter(({ started_at, duration, status }) => {
    const begun = Date.parse(started_at)
    return !take((one) => one.status === status && one.at >= begun - slack && one.at <= begun + duration + slack)
  })
  for (const { started_at } of timedOut) take(({ at }) => at >= Date.parse(started_at) - slack)
  return { unlogged: left, unseen }
}
