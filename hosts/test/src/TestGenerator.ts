/** What writes the drafts in a test: at once, a text that shows what it was asked, unless it is told otherwise. */
import type { GenerationRequest } from "@partner-commentary/core/commentary/CommentaryGenerator"
import { ScriptedGenerator } from "./ScriptedGenerator.ts"
import type { TestInstance } from "./TestInstance.ts"

/** How an attempt fails: for now, and then it is made again later, or for good. */
export interface GenerationFailure {
  /** False, where it is left out. */
  readonly permanent?: boolean
}

/** Scripts the drafts of an instance. */
export class TestGenerator {
  readonly #instance: TestInstance

  /** @internal */
  constructor(instance: TestInstance) {
    this.#instance = instance
  }

  /** What was asked for so far, in order, failed attempts included. */
  get requests(): ReadonlyArray<GenerationRequest> {
    return this.#instance.runSync(this.#instance.service(ScriptedGenerator).requests)
  }

  /** The next attempts fail, one for each failure; one, for now, where none is given. */
  failNext(...failures: ReadonlyArray<GenerationFailure>): void {
    const all = failures.length === 0 ? [{}] : failures
    const told = all.map(({ permanent = false }) => ({ permanent }))
    this.#instance.runSync(this.#instance.service(ScriptedGenerator).failNext(...told))
  }

  /** The next drafts, one each, in these words. */
  writeNext(...texts: ReadonlyArray<string>): void {
    this.#instance.runSync(this.#instance.service(ScriptedGenerator).writeNext(...texts))
  }
}
