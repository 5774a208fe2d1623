/** One changelog for one version: what changesets say, below what stands in it as unreleased. */

const unreleased = "## Unreleased\n"

/** What a changeset says, without the packages and the bump that it names. */
export const sentenceOf = (changeset: string): string => changeset.replace(/^---\n[\s\S]*?\n---\n/, "").trim()

/** What was unreleased is the version's, with a line for each changeset. Nothing is unreleased after it. */
export const released = (changelog: string, version: string, changesets: ReadonlyArray<string>): string => {
  const [before, ...rest] = changelog.split(unreleased)
  const [present = "", older] = rest.join(unreleased).split(/^(?=## )/m)
  const lines = changesets.map((each) => `- ${sentenceOf(each).replaceAll("\n", "\n  ")}`)
  const section = [present.trim(), lines.join("\n")].filter((text) => text !== "").join("\n\n")
  return [`${before}${unreleased}`, `## ${version}\n`, `${section}\n`, ...(older === undefined ? [] : [older])].join(
    "\n"
  )
}
