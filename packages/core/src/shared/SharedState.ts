/**
 * Refuses to start with process-local state if several processes can share the database. Otherwise, each process would
 * count limits separately and accept keys that another process has revoked. The check runs at start, because layers can
 * be merged in any order.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** True if processes on several machines can share the database. The stores set this value. */
export const DatabaseIsShared = Context.Reference<boolean>("@partner-commentary/reference/DatabaseIsShared", {
  defaultValue: () => false
})

const ofOneProcess = new WeakSet<object>()

/** Marks a service whose state exists only in this process. */
export const keptInProcess = <Service extends object>(service: Service): Service => {
  ofOneProcess.add(service)
  return service
}

class StateNotShared extends Data.TaggedError("StateNotShared")<{ readonly message: string }> {}

const notShared = (name: string) =>
  new StateNotShared({
    message:
      `${name} is kept in this process, but processes share the database: ` +
      "leave Core.layerProcess out, because the layer of the database has what processes share"
  })

/**
 * Checks the services at start. The names of `services` describe the state that all processes on one database must
 * share.
 */
export const check = <R>(services: Effect.Effect<Readonly<Record<string, object>>, never, R>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      if (!(yield* DatabaseIsShared)) return
      const wrong = Object.entries(yield* services).find(([, service]) => ofOneProcess.has(service))
      if (wrong !== undefined) return yield* Effect.die(notShared(wrong[0]))
    })
  )
