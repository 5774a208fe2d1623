/** Cancels a topic. Assignments that the creator has not answered fail, and answered assignments continue. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Principal } from "../access/ApiKeys.ts"
import type { TopicId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import * as LogContext from "../shared/LogContext.ts"
import { Transaction } from "../shared/Transaction.ts"
import { WorkSignal } from "../shared/WorkSignal.ts"
import { AssignmentStore } from "./AssignmentStore.ts"
import { type TopicProgress, TopicStore } from "./TopicStore.ts"
import { TopicNotFound } from "./Topics.ts"
import { cancel } from "./Workflow.ts"

export interface CancellationRequester extends Pick<Principal, "environment" | "organization"> {
  /** The API key that requests the cancellation; null if the embedding application cancels the topic. */
  readonly key: Pick<Principal["key"], "id"> | null
}

export class TopicCancellation extends Context.Service<
  TopicCancellation,
  {
    /**
     * Cancels all unanswered assignments of the topic in one transaction. Returns the topic's progress after the
     * cancellation.
     */
    readonly cancel: (canceller: CancellationRequester, id: TopicId) => Effect.Effect<TopicProgress, TopicNotFound>
  }
>()("@partner-commentary/core/topic/TopicCancellation") {
  static readonly layer = Layer.effect(
    TopicCancellation,
    Effect.gen(function* () {
      const topics = yield* TopicStore
      const assignments = yield* AssignmentStore
      const transaction = yield* Transaction
      const signal = yield* WorkSignal
      return TopicCancellation.of({
        cancel: Effect.fnUntraced(function* ({ environment, key, organization }, id) {
          yield* LogContext.addLogContextToSpan({ topicId: id })
          const now = yield* Instant.now
          const progress = Effect.flatMap(
            topics.progress({ organizationId: organization.id, environment }, id),
            Option.match({ onNone: () => new TopicNotFound(), onSome: Effect.succeed })
          )
          const change = Effect.gen(function* () {
            const before = yield* progress
            const unanswered = before.assignments.filter(({ status }) => status === "topic_sent")
            if (unanswered.length === 0) return before
            const ids = unanswered.map(({ id }) => id)
            const modified = yield* assignments.modifyAll(ids, (present) =>
              cancel(present, { by: key === null ? "operator" : `key ${key.id}` }, now)
            )
            yield* signal.tell(modified.flatMap(({ work }) => work))
            return yield* progress
          })
          return yield* transaction.run(change)
        })
      })
    })
  )
}
