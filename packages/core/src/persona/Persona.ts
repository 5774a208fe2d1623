/** A licensed voice: its public profile, and its human creator, who is hidden from partners. */
import type { PersonaId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"

export interface Persona {
  readonly id: PersonaId
  readonly name: string
  /** `""` for the neutral avatar. */
  readonly imageUrl: string
  readonly bio: string
  readonly expertise: ReadonlyArray<string>
  /** URL by platform name. */
  readonly socialLinks: Readonly<Record<string, string>>
  readonly creator: Creator
  readonly createdAt: Instant
}

export interface Creator {
  /** `""` when unknown. */
  readonly name: string
  readonly email: string
}
