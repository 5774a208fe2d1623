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
  /** Sports, leagues, topics. */
  readonly expertise: ReadonlyArray<string>
  /** URL by platform name. */
  readonly social_links: { readonly [platform: string]: string }
}
