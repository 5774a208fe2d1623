/** The group under which readers of the description find everything about topics, whichever of our groups it comes from. */
import * as OpenApi from "effect/http-api/OpenApi"

export const topicsGroup = OpenApi.annotations({
  title: "Topics",
  description:
    "Submit a short question, statement or prompt to licensed personas, follow it, and fetch what their creators approved."
})
