/** Writes the changelog of a version: the unreleased section, followed by the changesets. */

const unreleased = "## Unreleased\n"

/** Returns the text of a changeset, without its list of packages and version bumps. */
export const extractChangesetText = (changeset: string): string => changeset.replace(/^---\n[\s\S]*?\n---\n/, "").trim()

/**
 * Moves the unreleased section to the version, with one item for each changeset, and leaves the unreleased section
 * empty.
 */
export const makeReleaseChangelog = (changelog: string, version: string, changesets: ReadonlyArray<string>): string => {
  const [before, ...rest] = changelog.split(unreleased)
  const [present = "", older] = rest.join(unreleased).split(/^(?=## )/m)
  const lines = changesets.map((each) => `- ${extractChangesetText(each).replaceAll("\n", "\n  ")}`)
  const section = [present.trim(), lines.join("\n")].filter((text) => text !== "").join("\n\n")
  return [`${before}${unreleased}`, `## ${version}\n`, `${section}\n`, ...(older === undefined ? [] : [older])].join(
    "\n"
  )
}
