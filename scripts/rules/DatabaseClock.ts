/** Time is Effect's Clock, handed to SQL as a parameter: a test moves it by days, and a database would not follow. */
import type { Rule } from "../Gate.ts"
import { belowHosts } from "../Repository.ts"
import { lineAt, sourceText } from "../SourceText.ts"

const clock =
  /\b(?:(?<!\bDate\.)now\s*\(\s*\)|(?:clock|statement|transaction)_timestamp\s*\(|current_(?:timestamp|time|date)\b|unixepoch\s*\(\s*\)|(?:datetime|date|time|julianday|unixepoch|strftime)\s*\([^)]*'now')/gi

/** What makes Effect's Clock of it. */
const source = "adapters/postgres/src/DatabaseClock.ts"

/** What Effect's migrator says of its own table, as the copy of the schema repeats it. */
const copy = "adapters/sqlite/src/PresentSchema.ts"
const migrators = "created_at datetime NOT NULL DEFAULT current_timestamp"

const ours = (path: string, text: string) =>
  path === copy ? text.replaceAll(migrators, " ".repeat(migrators.length)) : text

export const databaseClock: Rule = {
  name: "never the database's clock",
  find: (files) =>
    [...files]
      .filter(([path]) => belowHosts(path) && path !== source)
      .flatMap(([path, text]) =>
        [...sourceText(ours(path, text)).literals.matchAll(clock)].map((found) => ({
          path,
          line: lineAt(text, found.index),
          message: `"${found[0]}" reads the database's clock: pass the time as a parameter`
        }))
      ),
  refuses: [
    { "packages/sql/src/Planted.ts": "const rows = sql`UPDATE topics SET sent_at = now()`\n" },
    { "packages/sql/src/Planted.ts": "const rows = sql`SELECT 1 WHERE due_at < CURRENT_TIMESTAMP`\n" },
    { "packages/sql/src/migrations/0099_planted.ts": "const rows = sql`SELECT strftime('%s', 'now')`\n" },
    { "adapters/sqlite/src/Planted.ts": "db.exec(\"SELECT datetime('now')\")\n" },
    { "adapters/sqlite/src/Planted.ts": `const a = "${migrators}"\n` },
    { [copy]: 'const a = "sent_at datetime DEFAULT current_timestamp"\n' }
  ],
  accepts: [
    // An example in the description, for who receives webhooks.
    { "packages/api/src/description/Planted.ts": "const example = `if (Date.now() > until) return false`\n" },
    {
      "packages/sql/src/Planted.ts": "const now = clock.now()\nconst rows = sql`SELECT 1 WHERE due_at < $" + "{now}`\n"
    },
    { [copy]: `const a = "${migrators}"\n` },
    { [source]: "const rows = sql`SELECT clock_timestamp()`\n" },
    { "packages/sql/src/Planted.ts": "// never now()\nconst rows = sql`SELECT sent_at, known_at FROM topics`\n" }
  ]
}
