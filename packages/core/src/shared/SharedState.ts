/**
 * Stops the service at start if several processes can share the database but state is local to each process. With local
 * state, each process would count its own limits and accept keys that another process has revoked. The check for local
 * state runs at start, because layers can be merged in any order.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** True if processes of several machines may share the database. The layers of the stores set `DatabaseIsShared`. */
export const DatabaseIsShared = Context.Reference<boolean>("@partner-commentary/reference/DatabaseIsShared", {
  defaultValue: () => false
})

const ofOneProcess = new WeakSet<object>()

/** Marks a service that keeps its state in this process only. */
export const markInProcessState = <Service extends object>(service: Service): Service => {
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
 * Stops the service at start if state is local but the database is shared. `services` maps names to the services whose
 * state all processes must share.
 */
export const requireSharedState = <R>(services: Effect.Effect<Readonly<Record<string, object>>, never, R>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      if (!(yield* DatabaseIsShared)) return
      const wrong = Object.entries(yield* services).find(([, service]) => ofOneProcess.has(service))
      if (wrong !== undefined) return yield* Effect.die(notShared(wrong[0]))
    })
  )
