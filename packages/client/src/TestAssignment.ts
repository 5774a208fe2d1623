/** Wire types for manual steps of simulated creators in the test environment. */
import type { AssignmentFailure, AssignmentStatus } from "./Topic.ts"
import type { OpenEnum, Timestamp } from "./Wire.ts"

/**
 * `respond`, `decline`, `approve` and `withdraw` are actions of the creator. `generate` and `fail` are results of the
 * generator. The action `expire` lets the deadline pass.
 */
export type SimulatedAction = "respond" | "generate" | "approve" | "decline" | "expire" | "fail" | "withdraw"

export interface AdvanceAssignment {
  /**
   * The step that the simulated creator takes. By default, the simulated creator takes its usual next step, which
   * depends on the test persona or on a keyword in the content.
   */
  readonly action?: SimulatedAction
}

/** The assignment after a step of the simulated creator. */
export interface SimulatedAssignment {
  readonly share_id: string
  readonly topic_id: string
  readonly persona_id: string
  readonly persona_name: string
  readonly status: OpenEnum<AssignmentStatus>
  readonly status_updated_at: Timestamp
  readonly has_commentary: boolean
  readonly failure: AssignmentFailure | null
  /**
   * The possible next actions of the simulated creator; empty when no action is possible. The first action in `actions`
   * leads to a commentary.
   */
  readonly actions: ReadonlyArray<OpenEnum<SimulatedAction>>
}
