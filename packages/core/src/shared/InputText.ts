/** Validates text that operators and embedding applications enter. */
import { countCodePoints, hasForbiddenControlCharacters } from "./Text.ts"

/** Returns whether the text can be a name or a label: one line, not blank, and at most `limit` characters. */
export const isValidLabel = (text: string, limit: number): boolean =>
  text.trim() !== "" && countCodePoints(text) <= limit && !/\p{Cc}/u.test(text)

export const maxNameLength = 200
export const maxExpertiseLength = 100
export const maxProseLength = 5000

export const isValidProse = (text: string): boolean =>
  countCodePoints(text) <= maxProseLength && !hasForbiddenControlCharacters(text)

/** Returns whether the syntax of an email address is valid. Only the mail server knows whether the mailbox exists. */
export const isEmail = (text: string): boolean =>
  text.length <= 254 &&
  /^[^\s\p{C}<>()[\]\\,;:"@]{1,64}@[^\s\p{C}<>()[\]\\,;:"@.]+(\.[^\s\p{C}<>()[\]\\,;:"@.]+)*$/u.test(text)

export const isHttpUrl = (text: string): boolean => {
  const url = /[\s\p{Cc}<>"]/u.test(text) || text.length > 2048 ? null : URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === ""
}

/** Returns whether the text is a valid platform name in `social_links`. */
export const isSocialPlatformName = (text: string): boolean => /^[a-z0-9][a-z0-9_-]{0,49}$/.test(text)
