/**
 * The draft generator in a test. By default the generator immediately returns a draft with the persona's name and the
 * creator's perspective.
 */
import type { CommentaryGenerationRequest } from "@partner-commentary/core/commentary/CommentaryGenerator"
import { ScriptedGenerator } from "./ScriptedGenerator.ts"
import type { TestInstance } from "./TestInstance.ts"
import { checkGenerationFailures } from "./TestOptions.ts"

/** How an attempt fails. A temporary failure is retried later, and a permanent failure is not. */
export interface GenerationFailure {
  /** The failure is temporary by default. */
  readonly permanent?: boolean
}

/** Sets the texts and failures of an instance's next drafts. */
export class TestGenerator {
  readonly #instance: TestInstance

  /** @internal */
  constructor(instance: TestInstance) {
    this.#instance = instance
  }

  /** All requests so far, in order, including those of failed attempts. */
  get requests(): ReadonlyArray<CommentaryGenerationRequest> {
    return this.#instance.runSync(this.#instance.service(ScriptedGenerator).requests)
  }

  /**
   * Makes the next generation attempts fail, one attempt for each argument. Without arguments, `failNext` makes one
   * attempt fail temporarily.
   */
  failNext(...failures: ReadonlyArray<GenerationFailure>): void {
    checkGenerationFailures(failures)
    const all = failures.length === 0 ? [{}] : failures
    const told = all.map(({ permanent = false }) => ({ permanent }))
    this.#instance.runSync(this.#instance.service(ScriptedGenerator).failNext(...told))
  }

  /**
   * Sets the texts of the next drafts, one text for each argument. As the texts of every generator, the texts have 1 to
   * 5000 characters.
   */
  writeNext(...texts: ReadonlyArray<string>): void {
    this.#instance.runSync(this.#instance.service(ScriptedGenerator).writeNext(...texts))
  }
}
