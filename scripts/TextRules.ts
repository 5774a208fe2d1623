/**
 * Defines rules for the repository's texts that no linter offers. `scripts/test/TextRules.test.ts` plants violations of
 * each rule.
 */
import { posix } from "node:path"

export interface TextRule {
  readonly name: string
  readonly appliesTo: (path: string) => boolean
  readonly pattern: RegExp
  readonly ignoresComments?: true
}

/** Matches files that may contain SQL. The import rules keep `effect/sql` and the drivers out of all other files. */
const hasSql = (path: string) => /^(packages\/sql|adapters\/[^/]+)\/src\/.*\.ts$/.test(path)

const owners: Readonly<Record<string, ReadonlyArray<string>>> = {
  personas: ["PersonaStore.ts", "PersonaRegistry.ts"],
  licenses: ["PersonaStore.ts", "PersonaRegistry.ts"],
  organizations: ["OrganizationStore.ts", "OrganizationRegistry.ts"]
}

/** An embedder may store personas and organizations elsewhere, so no other store's SQL may name their tables. */
const storeLines = Object.entries(owners).map(([table, files]): TextRule => {
  const earlierTables = String.raw`(?:["\w.]+(?:\s+(?:as\s+)?\w+)?\s*,\s*)*`
  return {
    name: `SQL names the table ${table} in ${files.join(" and ")} only`,
    appliesTo: (path) => hasSql(path) && !path.includes("/migrations/") && !files.includes(posix.basename(path)),
    pattern: new RegExp(
      String.raw`\b(?:from|join|into|update|using|only)\s+${earlierTables}(?:\$\{sql\("|(?:"?\w+"?\.)?"?)${table}\b`,
      "gi"
    ),
    ignoresComments: true
  }
})

/**
 * Tests move Effect's Clock, but cannot move the database's clock. DatabaseClock.ts makes the Clock from the
 * database's time.
 */
const databaseClock: TextRule = {
  name: "SQL takes the time as a parameter",
  appliesTo: (path) => hasSql(path) && path !== "adapters/postgres/src/DatabaseClock.ts",
  pattern:
    /(?<![.\w])(?:now\s*\(\s*\)|(?:clock|statement|transaction)_timestamp\s*\(|(?<!created_at datetime NOT NULL DEFAULT )current_(?:timestamp|time|date)\b|unixepoch\s*\(\s*\)|(?:datetime|date|time|julianday|unixepoch|strftime)\s*\([^)]*'now')/gi,
  ignoresComments: true
}

/** The text is split so that this file does not violate its own rules. */
const homes = ["work", "root", "home", "Users"].join("|")
const deferred = ["TO" + "DO", "FIX" + "ME"].join("|")

const isAny = () => true

export const textRules: ReadonlyArray<TextRule> = [
  ...storeLines,
  databaseClock,
  {
    name: "no open ends: file an issue instead",
    appliesTo: (path) => path !== "package-lock.json",
    pattern: new RegExp(String.raw`\b(?:${deferred})\b`, "g")
  },
  {
    name: "no paths of a developer's machine",
    appliesTo: isAny,
    pattern: new RegExp(String.raw`(?<![\w.~)}\]-])/(?:${homes})/`, "g")
  },
  {
    name: "no registry hosts and no download addresses",
    appliesTo: isAny,
    pattern:
      /\bregistry\.[\w-]+\.\w+|\bnpm\.pkg\.\w+|^\s*(?:@[\w-]+:)?registry\s*=|_auth(?:Token)?\s*=|"resolved":\s*"[^"]*:\/\//gm
  }
]

/** Replaces comments with blanks of the same length, so that line numbers stay the same. */
const withoutComments = (text: string) =>
  text.replace(/\/\*[\s\S]*?\*\/|(?<![:"'`\w])\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, " "))

const lineAt = (text: string, index: number) => text.slice(0, index).split("\n").length

/** Returns one line for each violation: path, line number, the text found, and the rule. */
export const findTextRuleViolations = (files: ReadonlyMap<string, string>): ReadonlyArray<string> =>
  textRules.flatMap(({ appliesTo, ignoresComments, name, pattern }) =>
    [...files]
      .filter(([path]) => appliesTo(path))
      .map(([path, text]) => [path, ignoresComments ? withoutComments(text) : text] as const)
      .flatMap(([path, text]) =>
        [...text.matchAll(pattern)].map(
          ({ 0: found, index }) => `${path}:${lineAt(text, index)} ${found.trim()} (${name})`
        )
      )
  )
