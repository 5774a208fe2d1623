/** Sends mails with the HTTP API of a mail service, by a plain function. */
import type { SendMail } from "partner-commentary/ports/MailFunction"

// #region own-mail
export const makeHttpMailSender =
  (url: string, token: string): SendMail =>
  async ({ html, id, subject, text, to }, { signal }) => {
    // The id is the same in every attempt, so the mail service can drop a repeated mail.
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": id }
    const body = JSON.stringify({ from: "Desk <desk@app.example>", to: to.address, subject, text, html })
    const { ok, status } = await fetch(url, { method: "POST", headers, body, signal })
    // An error with `permanent: true` ends the attempts. After any other error, the service tries again later.
    if (!ok) throw Object.assign(new Error(`the mail service answered ${status}`), { permanent: status === 422 })
  }
// #endregion
