/** A persona has a public profile and a human creator. Partners never see the creator. */
import type { PersonaId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"

export interface Persona {
  readonly id: PersonaId
  readonly name: string
  /** The URL of the persona's image; `""` for the neutral avatar. */
  readonly imageUrl: string
  readonly bio: string
  readonly expertise: ReadonlyArray<string>
  /** The persona's URLs on social platforms. Each key of `socialLinks` is the name of a platform. */
  readonly socialLinks: Readonly<Record<string, string>>
  readonly creator: Creator
  readonly createdAt: Instant
}

export interface Creator {
  /** The name of the creator; `""` if the name is unknown. */
  readonly name: string
  readonly email: string
}
