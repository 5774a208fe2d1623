/** One persona's part of a test topic, as its simulated creator is taken on by hand. */
import type { Failure, PersonaStatus } from "./Topic.ts"
import type { Open, Timestamp } from "./Wire.ts"

/** `respond`, `decline`, `approve`, `withdraw` are the creator's; `generate`, `fail` the generator's; `expire` is time's. */
export type SimulatedAction = "respond" | "generate" | "approve" | "decline" | "expire" | "fail" | "withdraw"

export interface AdvanceAssignment {
  /** What happens. Left out: the next step of the persona, or of the magic word in the content. */
  readonly action?: SimulatedAction
}

/** Where the part stands after the step. */
export interface SimulatedAssignment {
  readonly share_id: string
  readonly topic_id: string
  readonly persona_id: string
  readonly persona_name: string
  readonly status: Open<PersonaStatus>
  readonly status_updated_at: Timestamp
  readonly has_commentary: boolean
  readonly failure: Failure | null
  /** What can happen next, the step on the way to a commentary first; empty once nothing can. */
  readonly actions: ReadonlyArray<Open<SimulatedAction>>
}
