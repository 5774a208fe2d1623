/** Reads personas and licences from the host's own tables with integer keys, by plain functions without Effect. */
import type { DatabaseSync } from "node:sqlite"
import type { PersonaReader } from "partner-commentary/ports/PersonaFunctions"

// #region own-personas
interface Author {
  readonly [column: string]: string | number
}

/** A persona's id must be a UUID that never changes, so this function derives the id from the integer key. */
export const personaIdFromKey = (key: number) => `00000000-0000-8000-8000-${String(key).padStart(12, "0")}`
const keyFromPersonaId = (id: string) => (/^0{8}-0000-8000-8000-(\d{12})$/.exec(id) ?? [])[1] ?? -1

const toPersona = ({ about, email, joined, key, pen_name }: Author) => ({
  id: personaIdFromKey(Number(key)),
  name: String(pen_name),
  bio: String(about),
  creator: { email: String(email) },
  created_at: String(joined)
})

export const makePersonaReader = (database: DatabaseSync): PersonaReader => ({
  find: (id) => {
    const found = database.prepare("SELECT * FROM authors WHERE key = ?").get(keyFromPersonaId(id))
    return found === undefined ? null : toPersona(found as never)
  },
  licensed: (organization, ids, { at }) => {
    const keys = JSON.stringify(ids?.map(keyFromPersonaId) ?? null)
    const licensed = `SELECT * FROM authors
      WHERE key IN (SELECT author FROM contracts WHERE partner = ?1 AND (ends IS NULL OR ends > ?2))
      AND (?3 = 'null' OR key IN (SELECT CAST(value AS INTEGER) FROM json_each(?3)))`
    return database
      .prepare(licensed)
      .all(organization, at.toISOString(), keys)
      .map((found) => toPersona(found as never))
  }
})
// #endregion
