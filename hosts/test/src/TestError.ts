/** Reports a mistake in the test's code. The message says which values exist and how to fix the call. */

export class TestPartnerCommentaryError extends Error {
  override name = "TestPartnerCommentaryError"
}

/** Formats a list as `one, two, three and 4 more`, for messages. */
export const formatList = (all: ReadonlyArray<string>, most = 10): string =>
  all.length === 0
    ? "none"
    : all.slice(0, most).join(", ") + (all.length > most ? ` and ${all.length - most} more` : "")
