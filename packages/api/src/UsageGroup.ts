/** The tag of the operations about usage, metrics and one's own key, which are in several groups of the contract. */
import * as OpenApi from "effect/http-api/OpenApi"

export const usageGroup = OpenApi.annotations({
  title: "Usage",
  description: "Usage, remaining quotas and performance."
})
