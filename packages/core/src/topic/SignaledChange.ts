/**
 * Changes an assignment and then signals the change. The signal starts workers with due work and completes waiting
 * requests.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { WorkSignal } from "../shared/WorkSignal.ts"
import type { AssignmentStore } from "./AssignmentStore.ts"

/**
 * Changes and signals without interruption. Otherwise, an interruption between the two would delay stored work until
 * the next poll.
 */
export const make =
  (
    store: Pick<AssignmentStore["Service"], "modify">,
    signal: Pick<WorkSignal["Service"], "tell">
  ): AssignmentStore["Service"]["modify"] =>
  (id, decide) =>
    Effect.uninterruptible(
      Effect.tap(
        store.modify(id, decide),
        Option.match({ onNone: () => Effect.void, onSome: ({ work }) => signal.tell(work) })
      )
    )
