/** Checks the syntax of a webhook URL. The transport checks the IP address of the URL's host. */

/** The maximum length of a webhook URL in characters. */
export const maxWebhookUrlLength = 2048

/** The pattern allows the characters of RFC 3986, but no fragment. JSON Schema requires the `u` flag. */
export const webhookUrlPattern = /^https?:\/\/(?![/?])[\w.~:/?[\]@!$&'()*+,;=%-]+$/u

/** The URL pattern for deployments that allow only `https:`. */
export const httpsWebhookUrlPattern = new RegExp(
  webhookUrlPattern.source.replace("https?", "https"),
  webhookUrlPattern.flags
)

export const webhookUrlConstraint =
  "must be an address such as https://example.com/webhooks, in ASCII, without blanks, a fragment, a user name or a password, and with characters such as <, ^, { and | percent-encoded"

/** Finds a problem that the URL pattern cannot detect; null when the URL is valid. */
export const findWebhookUrlProblem = (text: string): string | null => {
  const url = URL.parse(text)
  if (url === null) return webhookUrlConstraint
  return url.username === "" && url.password === "" && !/^https?:\/\/[^/?]*@/i.test(text)
    ? null
    : "must not hold a user name or a password: verify the signature instead"
}

/**
 * Returns the host and port of a URL. Mails and the audit log omit the rest of a URL, because that part may contain a
 * secret.
 */
export const extractHost = (text: string): string => URL.parse(text)?.host ?? ""
