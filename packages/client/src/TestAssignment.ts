/** Wire types for manual steps of a test topic's simulated creators. */
import type { AssignmentStatus, Failure } from "./Topic.ts"
import type { Open, Timestamp } from "./Wire.ts"

/**
 * `respond`, `decline`, `approve` and `withdraw` are actions of the creator. `generate` and `fail` are results of the
 * generator. `expire` is the end of the deadline.
 */
export type SimulatedAction = "respond" | "generate" | "approve" | "decline" | "expire" | "fail" | "withdraw"

export interface AdvanceAssignment {
  /** The default is the next step of the persona's path, or of the keyword in the content. */
  readonly action?: SimulatedAction
}

/** The assignment after the step. */
export interface SimulatedAssignment {
  readonly share_id: string
  readonly topic_id: string
  readonly persona_id: string
  readonly persona_name: string
  readonly status: Open<AssignmentStatus>
  readonly status_updated_at: Timestamp
  readonly has_commentary: boolean
  readonly failure: Failure | null
  /**
   * The possible next actions. The action that leads to a commentary is first. The list is empty when no action is
   * left.
   */
  readonly actions: ReadonlyArray<Open<SimulatedAction>>
}
