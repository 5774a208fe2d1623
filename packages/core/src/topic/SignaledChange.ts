/** Changes an assignment, and then signals the change to workers and to requests that wait for the change. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { WorkSignal } from "../shared/WorkSignal.ts"
import type { AssignmentStore } from "./AssignmentStore.ts"

/**
 * Runs the change and its signal without interruption. An interruption between the change and the signal would delay
 * the stored work until the next poll.
 */
export const makeSignalingModify =
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
