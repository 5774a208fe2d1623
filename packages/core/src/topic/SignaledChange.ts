/** Changes an assignment and tells the workers and waiting requests what follows from it. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { WorkSignal } from "../shared/WorkSignal.ts"
import type { AssignmentStore } from "./AssignmentStore.ts"

/** An interruption between the change and its signal would leave stored work that waits for the next poll. */
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
