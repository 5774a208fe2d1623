/**
 * Defines the advice to an operator about a finding of the doctor. The advice contains a command of the command-line
 * program, or a function call in an embedding application.
 */

/** The advice texts for findings. Each advice text is the end of the sentence in a finding. */
export interface DoctorAdvice {
  readonly resendMail: (shareId: string) => string
  /** Explains how to resend the mails that failed permanently at the time `since` or later. */
  readonly resendMails: (since: string) => string
  readonly retryDraft: (shareId: string) => string
  readonly retryDrafts: string
  readonly retryMedium: (shareId: string) => string
  readonly retryMedia: string
  readonly work: string
  readonly slowReceivers: string
  readonly disabledWebhooks: string
  readonly lostSecrets: string
  readonly creatorEmail: (personaId: string) => string
}

const retry = "call pc.operations.retry()"

export const doctorAdviceForEmbeddedService: DoctorAdvice = {
  resendMail: (shareId) => `call pc.creators.resendMail({ share_id: "${shareId}" })`,
  resendMails: () => retry,
  retryDraft: () => retry,
  retryDrafts: retry,
  retryMedium: () => retry,
  retryMedia: retry,
  work: "call pc.start() without workers: false in a process, or pc.operations.drain() on a schedule",
  slowReceivers: "pc.webhooks.list() of each partner shows which ones",
  disabledWebhooks: "pc.webhooks.list() of each partner shows which ones",
  lostSecrets: "add the former secret to the option secret",
  creatorEmail: (personaId) => `call pc.personas.update({ persona_id: "${personaId}", creator: { email } })`
}
