/** Personas as they go over the wire. */

/** A persona in a list. */
export interface PersonaSummary {
  readonly id: string
  readonly name: string
  readonly image_url: string
}

/** A persona with all that is told of it. */
export interface Persona extends PersonaSummary {
  readonly bio: string
  /** Sports, leagues, topics. */
  readonly expertise: ReadonlyArray<string>
  /** Platform name to address. */
  readonly social_links: { readonly [platform: string]: string }
}
