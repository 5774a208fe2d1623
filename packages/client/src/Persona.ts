/** Wire types of personas. */

/** A persona in a list. */
export interface PersonaSummary {
  readonly id: string
  readonly name: string
  readonly image_url: string
}

/** A persona with all details. */
export interface Persona extends PersonaSummary {
  readonly bio: string
  /** Sports, leagues or topics that the persona comments on. */
  readonly expertise: ReadonlyArray<string>
  /** URLs by the platform's name. */
  readonly social_links: { readonly [platform: string]: string }
}
