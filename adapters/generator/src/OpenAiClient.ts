/** What is used of the `openai` package, asked for by name: who bundles the adapter gets no more of it than that. */
import { APIError, type ClientOptions, OpenAI } from "openai"

export const make = (options: ClientOptions): OpenAI => new OpenAI(options)

/** The server answered, with a refusal: else what failed was the way there or back. */
export const isAnswer = (cause: unknown): cause is APIError & { readonly status: number } =>
  cause instanceof APIError && cause.status !== undefined
