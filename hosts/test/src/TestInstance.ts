/**
 * Runs a TestService and returns promises instead of effects. All parts of a TestPartnerCommentary share one
 * TestInstance.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scheduler from "effect/Scheduler"
import * as Scope from "effect/Scope"
import { DueJobRunner } from "./DueJobRunner.ts"
import { TestPartnerCommentaryError } from "./TestError.ts"
import { TestService, type TestServiceOptions } from "./TestService.ts"
import { nodeTimerScheduler, VirtualClock } from "./VirtualClock.ts"

const build = (options: TestServiceOptions, log: ((line: string) => void) | undefined) => {
  const logger = log === undefined ? [] : [Logger.map(Logger.formatLogFmt, log)]
  return Layer.provideMerge(TestService.layer(options), Logger.layer(logger))
}

const runPromise = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.provideService(effect, Scheduler.Scheduler, nodeTimerScheduler))

type Services = Layer.Success<ReturnType<typeof build>>

export class TestInstance {
  readonly #context: Context.Context<Services>
  readonly #scope: Scope.Closeable
  /**
   * True in calls from a webhook receiver that the test provides. The receiver may call the service while the service
   * waits for the receiver's response.
   */
  readonly #receiving = new AsyncLocalStorage<true>()
  #disposed = false

  private constructor(context: Context.Context<Services>, scope: Scope.Closeable) {
    this.#context = context
    this.#scope = scope
  }

  static async make(options: TestServiceOptions, log?: (line: string) => void): Promise<TestInstance> {
    const scope = Scope.makeUnsafe()
    return new TestInstance(await runPromise(Layer.buildWithScope(build(options, log), scope)), scope)
  }

  /** Returns a service from this instance's Effect context, for code that runs outside of an effect. */
  service<I extends Services, S>(key: Context.Key<I, S>): S {
    this.alive()
    return Context.get(this.#context, key)
  }

  run<A, E>(effect: Effect.Effect<A, E, Services>): Promise<A> {
    this.alive()
    return Effect.runPromiseWith(this.#context)(effect)
  }

  runSync<A, E>(effect: Effect.Effect<A, E, Services>): A {
    this.alive()
    return Effect.runSyncWith(this.#context)(effect)
  }

  async handle(request: Request): Promise<Response> {
    const response = await this.service(TestService).handle(request)
    await this.finish()
    return response
  }

  /**
   * Waits until all due jobs are done. A call from a webhook receiver does not wait, because a running job waits for
   * the receiver's response.
   */
  async finish(): Promise<void> {
    const finished = this.run(this.service(DueJobRunner).finish)
    if (this.#receiving.getStore() !== true) return finished
    finished.catch(() => undefined)
  }

  get now(): number {
    return this.service(VirtualClock).now()
  }

  async advanceTo(moment: number): Promise<void> {
    if (this.#receiving.getStore() === true) {
      throw new TestPartnerCommentaryError(
        "A receiver cannot move the clock: the clock stands still until the receiver has answered."
      )
    }
    await this.run(this.service(DueJobRunner).advanceTo(moment))
  }

  /** Runs a webhook receiver that the test provides. */
  receiving<A>(receiver: () => A): A {
    return this.#receiving.run(true, receiver)
  }

  alive(): void {
    if (this.#disposed) {
      throw new TestPartnerCommentaryError("This TestPartnerCommentary was disposed. Make a new one for each test.")
    }
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return
    this.#disposed = true
    await runPromise(Scope.close(this.#scope, Exit.void))
  }
}
