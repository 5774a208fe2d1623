/** What is used of the `openai` package, by name: who bundles the adapter gets no more of it than that. */
export { APIError, OpenAI } from "openai"
