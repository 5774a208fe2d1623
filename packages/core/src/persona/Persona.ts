/** A persona: its public profile, and its human creator, who is hidden from partners. */
import type { PersonaId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"

export interface Persona {
  readonly id: PersonaId
  readonly name: string
  /** `""` stands for the neutral avatar. */
  readonly imageUrl: string
  readonly bio: string
  readonly expertise: ReadonlyArray<string>
  /** URLs by the platform's name. */
  readonly socialLinks: Readonly<Record<string, string>>
  readonly creator: Creator
  readonly createdAt: Instant
}

export interface Creator {
  /** The name is `""` when it is unknown. */
  readonly name: string
  readonly email: string
}
