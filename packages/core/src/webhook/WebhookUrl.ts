/** What the text of a webhook's URL must be. Where it may lead is the transport's to judge. */

/** In characters. */
export const maxUrlLength = 2048

/** The characters of RFC 3986, without the fragment's. With the flag by which a description of the API can show it. */
export const urlPattern = /^https?:\/\/(?![/?])[\w.~:/?[\]@!$&'()*+,;=%-]+$/u

/** The same where only `https:` is allowed. */
export const httpsPattern = new RegExp(urlPattern.source.replace("https?", "https"), urlPattern.flags)

export const urlConstraint =
  "must be an address such as https://example.com/webhooks, in ASCII, without blanks, a fragment, a user name or a password"

/** What the pattern cannot say. */
export const urlProblem = (text: string): string | null => {
  const url = URL.parse(text)
  if (url === null) return urlConstraint
  return url.username === "" && url.password === "" && !/^https?:\/\/[^/?]*@/i.test(text)
    ? null
    : "must not hold a user name or a password: verify the signature instead"
}

/** Host and port: all of it that a mail or the record may name, for the rest may hold a secret of the receiver's. */
export const hostOf = (text: string): string => URL.parse(text)?.host ?? ""
