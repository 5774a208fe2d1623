/** The peer's initial data: an organization, its key, and three licensed personas. */
import { createHash, randomBytes, randomUUID } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"

export interface PeerFixtures {
  readonly key: string
  readonly personaIds: ReadonlyArray<string>
}

const unlimited = 1_000_000_000

export const seedPeer = (db: DatabaseSync): PeerFixtures => {
  const now = new Date().toISOString()
  const organizationId = randomUUID()
  const key = `pk_live_${randomBytes(19).toString("hex")}`
  const personaIds = ["Ada", "Grace", "Katherine"].map((name) => {
    const id = randomUUID()
    db.prepare("INSERT INTO personas VALUES (?, ?, ?, '', '[]', '{}', ?, ?, ?)").run(
      id,
      name,
      `https://images.example/${name}.png`,
      name,
      `${name.toLowerCase()}@creators.example`,
      now
    )
    db.prepare("INSERT INTO licenses VALUES (?, ?, ?, NULL, NULL)").run(organizationId, id, now)
    return id
  })
  db.prepare("INSERT INTO organizations VALUES (?, 'Bench', ?, ?, NULL, ?)").run(
    organizationId,
    unlimited,
    unlimited,
    now
  )
  db.prepare("INSERT INTO api_keys VALUES (?, ?, ?, 'live', ?, '[]', ?, NULL, NULL)").run(
    randomUUID(),
    createHash("sha256").update(key).digest("hex"),
    organizationId,
    JSON.stringify(["topics:submit", "topics:read", "personas:read"]),
    now
  )
  return { key, personaIds }
}
