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
  /** The sports, leagues or topics about which the persona comments. */
  readonly expertise: ReadonlyArray<string>
  /** The persona's URLs by platform name. */
  readonly social_links: { readonly [platform: string]: string }
}
