/** Defines the command `demo`, which shows the whole workflow in one terminal. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { JsonFlag, printResult } from "../Output.ts"

export const demoCommand = Command.make(
  "demo",
  {},
  Effect.fnUntraced(function* () {
    const json = yield* JsonFlag
    const { runDemo: run } = yield* Effect.promise(() => import("../../demo/Demo.ts"))
    let step = 0
    const told = yield* run((line) => {
      if (!json) process.stdout.write(`${String(++step).padStart(3)}  ${line}\n`)
    })
    yield* printResult({
      json: () => told,
      text: () => [
        "",
        "The result that the partner fetches by its reference:",
        "",
        JSON.stringify(told.fetched, null, 2)
      ]
    })
  })
).pipe(
  Command.withDescription("Run the whole workflow on a temporary database: topic, mails, drafts, approvals, webhooks")
)
