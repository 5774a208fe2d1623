/** The result of the doctor's check of one part of the service. */

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
   * `mend`: this part of the service does not work until the operator acts. `notice`: the operator should look at it.
   */
  readonly state: "ok" | "notice" | "mend"
  readonly message: string
  /** The number of problems that the finding stands for, 1 by default. */
  readonly count?: number
}

const finding =
  (state: Finding["state"]) =>
  <Check extends string>(check: Check, message: string): Finding<Check> => ({ check, state, message })

export const ok = finding("ok")
export const notice = finding("notice")
export const mend = finding("mend")
