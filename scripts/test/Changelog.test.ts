/** Tests how a release changes the changelog. */
import { expect, it } from "vitest"
import { extractChangesetText, makeReleaseChangelog } from "../packing/Changelog.ts"

const changeset = '---\n"@partner-commentary/core": minor\n---\n\nAudio is made\nafter approval.\n'

it("a changeset's text is the part after its list of version bumps", () => {
  expect(extractChangesetText(changeset)).toBe("Audio is made\nafter approval.")
})

it("the unreleased section and each changeset move below the new version's heading, above older versions", () => {
  const changelog = "# Changelog\n\n## Unreleased\n\nFor partners:\n\n- Topics.\n\n## 0.1.0\n\n- The first.\n"
  expect(makeReleaseChangelog(changelog, "0.2.0", [changeset])).toBe(
    "# Changelog\n\n## Unreleased\n\n## 0.2.0\n\nFor partners:\n\n- Topics.\n\n- Audio is made\n  after approval.\n\n## 0.1.0\n\n- The first.\n"
  )
})

it("the first version needs no changeset", () => {
  expect(makeReleaseChangelog("# Changelog\n\n## Unreleased\n\n- Topics.\n", "0.1.0", [])).toBe(
    "# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n- Topics.\n"
  )
})
