/** Defines the advice of the command `doctor`: the command line that mends each kind of finding. */
import type { DoctorAdvice } from "partner-commentary/doctor/Advice"

const run = (command: string) => `run partner-commentary ${command}`

export const doctorAdvice: DoctorAdvice = {
  resendMail: (shareId) => run(`mail resend ${shareId}`),
  resendMails: (since) => run(`mail resend --all --since ${since}`),
  retryDraft: (shareId) => run(`retry ${shareId}`),
  retryDrafts: run("retry --all"),
  retryMedium: (shareId) => run(`media retry ${shareId}`),
  retryMedia: run("media retry --all"),
  work: run("serve, or worker"),
  slowReceivers: "partner-commentary webhook list shows which ones",
  disabledWebhooks: "partner-commentary webhook list --disabled shows which ones, and why",
  lostSecrets: `add the former entry, then ${run("webhook reseal")}`,
  creatorEmail: (personaId) => run(`persona update ${personaId} --creator-email EMAIL`)
}
