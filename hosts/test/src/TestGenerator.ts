/** The draft generator in a test. By default it immediately returns a text that shows the request. */
import type { GenerationRequest } from "@partner-commentary/core/commentary/CommentaryGenerator"
import { ScriptedGenerator } from "./ScriptedGenerator.ts"
import type { TestInstance } from "./TestInstance.ts"

/** How an attempt fails: temporarily, with a later retry, or permanently. */
export interface GenerationFailure {
  /** Defaults to false. */
  readonly permanent?: boolean
}

/** Scripts the drafts of an instance. */
export class TestGenerator {
  readonly #instance: TestInstance

  /** @internal */
  constructor(instance: TestInstance) {
    this.#instance = instance
  }

  /** All requests so far, in order, including failed attempts. */
  get requests(): ReadonlyArray<GenerationRequest> {
    return this.#instance.runSync(this.#instance.service(ScriptedGenerator).requests)
  }

  /** Each argument makes one of the next attempts fail. Without arguments, one attempt fails temporarily. */
  failNext(...failures: ReadonlyArray<GenerationFailure>): void {
    const all = failures.length === 0 ? [{}] : failures
    const told = all.map(({ permanent = false }) => ({ permanent }))
    this.#instance.runSync(this.#instance.service(ScriptedGenerator).failNext(...told))
  }

  /** Each argument is the text of one of the next drafts. */
  writeNext(...texts: ReadonlyArray<string>): void {
    this.#instance.runSync(this.#instance.service(ScriptedGenerator).writeNext(...texts))
  }
}
