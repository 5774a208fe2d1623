/** A licensed voice: what partners see of it, and the human creator behind it, whom partners never see. */
import type { PersonaId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"

export interface Persona {
  readonly id: PersonaId
  readonly name: string
  /** `""` where it has none: a neutral avatar is shown. */
  readonly imageUrl: string
  readonly bio: string
  readonly expertise: ReadonlyArray<string>
  /** Platform name to address. */
  readonly socialLinks: Readonly<Record<string, string>>
  readonly creator: Creator
  readonly createdAt: Instant
}

export interface Creator {
  /** `""` where it is not known. */
  readonly name: string
  readonly email: string
}
