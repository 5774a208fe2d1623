/** Defines the findings of the doctor. A finding is the result of one check of the service. */

export type StoredCheck =
  | "mails"
  | "generations"
  | "waiting mails"
  | "waiting drafts"
  | "work"
  | "deliveries"
  | "webhooks"
  | "disabled webhooks"
  | "media"
  | "personas"
  | "licences"

export interface Finding<Check extends string = StoredCheck> {
  readonly check: Check
  /**
   * With the state `mend`, the checked part of the service does not work until the operator acts. With the state
   * `notice`, the operator should look at the finding.
   */
  readonly state: "ok" | "notice" | "mend"
  readonly message: string
  /** The number of problems in the finding. The default count is 1. */
  readonly count?: number
}

const finding =
  (state: Finding["state"]) =>
  <Check extends string>(check: Check, message: string): Finding<Check> => ({ check, state, message })

export const okFinding = finding("ok")
export const noticeFinding = finding("notice")
export const mendFinding = finding("mend")
