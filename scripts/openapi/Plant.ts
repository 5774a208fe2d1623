/** A rule over a description proves itself: a violation planted in a copy must be found, a near miss must not. */
import type { Document } from "@partner-commentary/api/description/Document"

/** A description as a plant may change it. */
export type Draft = Mutable<Document>

export type Mutable<A> = { -readonly [Key in keyof A]: A[Key] extends object | undefined ? Mutable<A[Key]> : A[Key] }

export interface Plant {
  readonly what: string
  readonly change: (draft: Draft) => void
}

export const plant = (what: string, change: (draft: Draft) => void): Plant => ({ what, change })

export interface DocumentRule {
  readonly name: string
  /** One sentence for each finding. */
  readonly find: (document: Document) => ReadonlyArray<string>
  readonly refuses: ReadonlyArray<Plant>
  readonly accepts: ReadonlyArray<Plant>
}

export const planted = (document: Document, { change }: Plant): Document => {
  const draft = structuredClone(document) as Draft
  change(draft)
  return draft as Document
}

/** One sentence for each plant that did not go as it should, or that finds nothing to be planted into. */
export const proveRule = (
  { accepts, find, name, refuses }: DocumentRule,
  document: Document
): ReadonlyArray<string> => {
  const before = new Set(find(document))
  const news = (one: Plant) => find(planted(document, one)).filter((finding) => !before.has(finding))
  const each = (plants: ReadonlyArray<Plant>, judge: (one: Plant) => ReadonlyArray<string>) =>
    plants.flatMap((one) => {
      try {
        return judge(one)
      } catch (failure) {
        return [`"${name}" cannot plant: ${one.what} (${String(failure)})`]
      }
    })
  return [
    ...(refuses.length === 0 ? [`"${name}" plants no violation`] : []),
    ...each(refuses, (one) => (news(one).length === 0 ? [`"${name}" does not refuse: ${one.what}`] : [])),
    ...each(accepts, (one) => news(one).map((finding) => `"${name}" refuses: ${one.what} (${finding})`))
  ]
}
