/** Changes that tests make in a copy of an OpenAPI document, such as violations of a rule. */
import type { OpenApiDocument } from "@partner-commentary/api/description/Document"

type Mutable<A> = { -readonly [Key in keyof A]: A[Key] extends object | undefined ? Mutable<A[Key]> : A[Key] }

/** An OpenAPI document that a test may change. */
export type MutableDocument = Mutable<OpenApiDocument>

export interface DocumentMutation {
  readonly what: string
  readonly change: (draft: MutableDocument) => void
}

export const makeDocumentMutation = (what: string, change: (draft: MutableDocument) => void): DocumentMutation => ({
  what,
  change
})

export const applyDocumentMutations = (
  document: OpenApiDocument,
  plants: ReadonlyArray<DocumentMutation>
): OpenApiDocument => {
  const draft = structuredClone(document) as MutableDocument
  for (const { change } of plants) change(draft)
  return draft as OpenApiDocument
}
