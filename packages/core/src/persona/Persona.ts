/** A persona has a public profile and a human creator. Partners never see the human creator. */
import type { PersonaId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"

export interface Persona {
  readonly id: PersonaId
  readonly name: string
  /** The URL of the image; `""` means the neutral avatar. */
  readonly imageUrl: string
  readonly bio: string
  readonly expertise: ReadonlyArray<string>
  /** The URL of each social profile, by the platform's name. */
  readonly socialLinks: Readonly<Record<string, string>>
  readonly creator: Creator
  readonly createdAt: Instant
}

export interface Creator {
  /** The creator's name; `""` when the name is unknown. */
  readonly name: string
  readonly email: string
}
