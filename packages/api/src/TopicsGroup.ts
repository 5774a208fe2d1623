/**
 * Defines the tag of all topic operations in the API description. Several endpoint groups of the API contract contain
 * topic operations.
 */
import * as OpenApi from "effect/http-api/OpenApi"

export const topicsGroupAnnotations = OpenApi.annotations({
  title: "Topics",
  description:
    "Submit a short question, statement or prompt to licensed personas, follow its status, and fetch the commentaries that their creators approved."
})
