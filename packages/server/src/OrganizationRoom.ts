/**
 * How many requests of one kind and one organization are at work in this process, where each may take much memory or time. Others
 * wait for their turn, with their bodies unread, and are refused when it does not come.
 */
import * as Errors from "@partner-commentary/api/Errors"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Of one organization at one time. */
export const most = 2

/** As long as a duplicate of a running request waits for its answer. */
export const patience = Duration.seconds(10)

interface Room {
  inside: number
  /** Done when somebody leaves, for all who wait; then there is another one. */
  left: Deferred.Deferred<void>
}

export type Within = <A, E, R>(
  organization: OrganizationId,
  work: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | Errors.RateLimitExceeded, R>

/** `doing`: what so many of are allowed at one time, and what is done with them, such as `reports of an organization are made`. */
export const make = (doing: string): Within => {
  const refused = Errors.RateLimitExceeded.busy(
    `At most ${most} ${doing} at one time. Send it again when others were answered.`,
    most
  )
  const rooms = new Map<OrganizationId, Room>()

  /** The room, where there is a place in it; else what to wait for. */
  const enter = (organization: OrganizationId) =>
    Effect.sync((): Room | Deferred.Deferred<void> => {
      const room = rooms.get(organization) ?? { inside: 0, left: Deferred.makeUnsafe<void>() }
      if (room.inside === most) return room.left
      room.inside++
      rooms.set(organization, room)
      return room
    })

  const leave = (organization: OrganizationId, room: Room) =>
    Effect.suspend(() => {
      const { left } = room
      room.left = Deferred.makeUnsafe()
      if (--room.inside === 0) rooms.delete(organization)
      return Deferred.succeed(left, undefined)
    })

  const within = <A, E, R>(
    organization: OrganizationId,
    work: Effect.Effect<A, E, R>,
    until: number
  ): Effect.Effect<A, E | Errors.RateLimitExceeded, R> =>
    Effect.flatMap(
      Effect.acquireUseRelease(
        enter(organization),
        (entered): Effect.Effect<Option.Option<A>, E | Errors.RateLimitExceeded, R> =>
          isRoom(entered) ? Effect.asSome(work) : Effect.as(turn(entered, until, refused), Option.none()),
        (entered) => (isRoom(entered) ? leave(organization, entered) : Effect.void)
      ),
      Option.match({ onNone: () => within(organization, work, until), onSome: Effect.succeed })
    )

  return (organization, work) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => within(organization, work, now + Duration.toMillis(patience)))
}

const isRoom = (entered: Room | Deferred.Deferred<void>): entered is Room => "inside" in entered

/** Waits until somebody leaves. */
const turn = (left: Deferred.Deferred<void>, until: number, refused: Errors.RateLimitExceeded) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.flatMap(Effect.timeoutOption(Deferred.await(left), Math.max(0, until - now)), (somebody) =>
      Option.isSome(somebody) ? Effect.void : Effect.fail(refused)
    )
  )
