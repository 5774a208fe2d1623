/**
 * Provides the service in memory on a virtual clock. DueJobRunner runs due jobs on demand. TestPartnerCommentary
 * offers this service with promises instead of effects.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DueJobRunner } from "./DueJobRunner.ts"
import * as InMemory from "./InMemory.ts"
import { TestApi } from "./TestApi.ts"
import { VirtualClock } from "./VirtualClock.ts"

export interface TestServiceOptions extends Pick<InMemory.InMemoryOptions, "apiRoot" | "media" | "policy"> {
  /** The initial time, in milliseconds since 1970. */
  readonly start: number
}

export class TestService extends Context.Service<TestService, Pick<TestApi["Service"], "handle">>()(
  "@partner-commentary/test/TestService"
) {
  static readonly layer = ({ start, ...options }: TestServiceOptions) =>
    Layer.effect(
      TestService,
      Effect.map(TestApi, ({ handle }) => TestService.of({ handle }))
    ).pipe(
      Layer.provideMerge(DueJobRunner.layer),
      Layer.provideMerge(InMemory.layerWithoutWorkers(options)),
      Layer.provideMerge(VirtualClock.layer(start))
    )
}
