/**
 * Personas with their licences, and organizations, may live in somebody else's system: their tables are named by the SQL
 * of their own stores alone, so that no query of another store joins across that line.
 */
import { posix } from "node:path"
import type { Rule } from "../Gate.ts"
import { isSource } from "../Repository.ts"
import { lineAt, sourceText } from "../SourceText.ts"

const owners = {
  personas: ["PersonaStore.ts", "PersonaRegistry.ts"],
  licenses: ["PersonaStore.ts", "PersonaRegistry.ts"],
  organizations: ["OrganizationStore.ts", "OrganizationRegistry.ts"]
}

/** Quotes, a schema, `sql("…")` and earlier tables of the same list may stand between the word and the table. */
const naming = (table: string) => {
  const earlier = String.raw`(?:["\w.]+(?:\s+(?:as\s+)?\w+)?\s*,\s*)*`
  return new RegExp(String.raw`\b(?:from|join|into|update|using|only)\s+${earlier}(?:"?\w+"?\.)?"?${table}\b`, "gi")
}

const governed = (path: string) =>
  isSource(path) && /^(packages\/sql|adapters\/[^/]+)\/src\//.test(path) && !path.includes("/migrations/")

export const storeLine: Rule = {
  name: "no SQL across the line of PersonaStore and OrganizationStore",
  find: (files) =>
    Object.entries(owners).flatMap(([table, own]) =>
      [...files]
        .filter(([path]) => governed(path) && !own.includes(posix.basename(path)))
        .flatMap(([path, text]) =>
          [...sourceText(text).literals.matchAll(naming(table))].map((found) => ({
            path,
            line: lineAt(text, found.index),
            message: `names the table ${table}, which belongs to ${own.join(" and ")}`
          }))
        )
    ),
  refuses: [
    { "packages/sql/src/Planted.ts": "const rows = sql`SELECT * FROM topics t\n  JOIN personas p ON p.id = t.id`\n" },
    { "packages/sql/src/Planted.ts": "const rows = sql`select id from licenses where id = ${id}`\n" },
    { "packages/sql/src/Planted.ts": "const rows = sql`UPDATE organizations SET name = ${name}`\n" },
    { "packages/sql/src/Planted.ts": "const rows = sql`INSERT INTO personas ${sql.insert(row)}`\n" },
    { "packages/sql/src/Planted.ts": 'const rows = sql`SELECT * FROM ${sql("organizations")}`\n' },
    { "packages/sql/src/Planted.ts": "const rows = sql`SELECT * FROM topics t, personas p`\n" },
    { "packages/sql/src/Planted.ts": 'const rows = sql`SELECT * FROM "public"."licenses"`\n' },
    { "packages/sql/src/planted/OrganizationStore.ts": "const rows = sql`SELECT * FROM licenses`\n" },
    { "adapters/sqlite/src/Planted.ts": 'db.exec("DELETE FROM personas")\n' }
  ],
  accepts: [
    {
      "packages/sql/src/planted/PersonaStore.ts": "const rows = sql`SELECT * FROM personas JOIN licenses USING (id)`\n"
    },
    { "packages/sql/src/planted/OrganizationRegistry.ts": "const rows = sql`UPDATE organizations SET name = ''`\n" },
    { "packages/sql/src/migrations/0099_planted.ts": "const rows = sql`INSERT INTO personas VALUES (1)`\n" },
    {
      "packages/sql/src/Planted.ts": "// copied from personas\nconst rows = sql`SELECT persona_name FROM assignments`\n"
    }
  ]
}
