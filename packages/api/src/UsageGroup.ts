/**
 * Defines the tag of the operations about usage, metrics and the caller's own key. Several endpoint groups of the API
 * contract share the usage tag.
 */
import * as OpenApi from "effect/http-api/OpenApi"

export const usageGroupAnnotations = OpenApi.annotations({
  title: "Usage",
  description: "Usage, remaining quotas and performance."
})
