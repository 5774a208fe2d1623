import { describe, expect, it } from "vitest"
import { findTextRuleViolations } from "../TextRules.ts"

const found = (path: string, text: string) => findTextRuleViolations(new Map([[path, text]]))
const store = "packages/sql/src/Planted.ts"
const migrator = "created_at datetime NOT NULL DEFAULT current_timestamp"

/** The text is split so that the rules do not report this file. */
const home = ["", "home", "someone"].join("/")
const host = ["registry", "example", "com"].join(".")
const deferred = "TO" + "DO"
const resolved = '"resolved"'

describe("the repository's text rules", () => {
  it.each([
    [store, "sql`SELECT * FROM topics t\n  JOIN personas p ON p.id = t.id`"],
    [store, "sql`select id from licenses where id = 1`"],
    [store, "sql`UPDATE organizations SET name = 1`"],
    [store, "sql`INSERT INTO personas VALUES (1)`"],
    [store, 'sql`SELECT * FROM ${sql("organizations")}`'],
    [store, "sql`SELECT * FROM topics t, personas p`"],
    [store, 'sql`SELECT * FROM "public"."licenses"`'],
    ["packages/sql/src/planted/OrganizationStore.ts", "sql`SELECT * FROM licenses`"],
    ["adapters/sqlite/src/Planted.ts", 'db.exec("DELETE FROM personas")'],
    [store, "sql`UPDATE topics SET sent_at = now()`"],
    [store, "sql`SELECT 1 WHERE due_at < CURRENT_TIMESTAMP`"],
    ["packages/sql/src/migrations/0099_planted.ts", "sql`SELECT strftime('%s', 'now')`"],
    ["adapters/sqlite/src/Planted.ts", "db.exec(\"SELECT datetime('now')\")"],
    ["adapters/sqlite/src/PresentSchema.ts", '"sent_at datetime DEFAULT current_timestamp"'],
    ["docs/planted.md", `* ${deferred} later`],
    ["docs/planted.md", `see ${home}/planted`],
    ["hosts/node/planted.json", `{ "data": "file://${home}/planted" }`],
    ["docs/planted.md", `install it from ${host}`],
    [".npmrc", "registry" + "=http://localhost:4873/"],
    ["package-lock.json", `{ ${resolved}: "https://${host}/planted-1.0.0.tgz" }`],
    ["package-lock.json", `{ ${resolved}: "git+ssh://git@example.com/planted.git" }`]
  ])("text rules refuse %s: %s", (path, text) => {
    expect(found(path, text)).not.toEqual([])
  })

  it.each([
    ["packages/sql/src/planted/PersonaStore.ts", "sql`SELECT * FROM personas JOIN licenses USING (id)`"],
    ["packages/sql/src/migrations/0099_planted.ts", "sql`INSERT INTO personas VALUES (1)`"],
    [store, "// copied from personas\nsql`SELECT persona_name FROM assignments`"],
    [store, "// never now()\nsql`SELECT sent_at, known_at FROM topics WHERE due_at < $" + "{clock.now()}`"],
    ["adapters/sqlite/src/PresentSchema.ts", `"${migrator}"`],
    ["adapters/postgres/src/DatabaseClock.ts", "sql`SELECT clock_timestamp()`"],
    ["package-lock.json", '{ "resolved": "packages/core" }'],
    ["docs/planted.md", "It comes from the npm registry. See https://example.com/home/ and ./work/."]
  ])("text rules accept %s: %s", (path, text) => {
    expect(found(path, text)).toEqual([])
  })
})
