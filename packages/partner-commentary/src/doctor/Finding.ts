/** Defines the findings of the doctor. A finding is the result of one check of the service. */

export type DoctorCheckName =
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

export interface DoctorFinding<Check extends string = DoctorCheckName> {
  readonly check: Check
  /**
   * With the state `mend`, the checked part of the service does not work until the operator acts. With the state
   * `notice`, the operator should look at the finding.
   */
  readonly state: "ok" | "notice" | "mend"
  readonly message: string
  /** The number of mails, drafts, jobs or webhooks that the finding is about. */
  readonly count?: number
}

const finding =
  (state: DoctorFinding["state"]) =>
  <Check extends string>(check: Check, message: string): DoctorFinding<Check> => ({ check, state, message })

export const makeOkFinding = finding("ok")
export const makeNoticeFinding = finding("notice")
export const makeMendFinding = finding("mend")
