/** `serve` and `worker`: long-running processes. Their modules are loaded on demand. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Json, printLine } from "../Output.ts"

const service = Effect.promise(() => import("../../server/Service.ts"))

export const serveCommand = Command.make(
  "serve",
  {
    noWorker: Flag.Boolean("no-worker").pipe(
      Flag.withDescription("Run no jobs, because a worker process runs them"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ noWorker }) {
    const json = yield* Json
    const { formatIntroduction: introduction, demoView: view } = yield* Effect.promise(
      () => import("../../demo/DemoOrganization.ts")
    )
    yield* (yield* service).serve({
      work: !noWorker,
      announce: ({ apiRoot, demo, outbox }) =>
        printLine(
          json
            ? [JSON.stringify({ ready: apiRoot, demo: Option.getOrNull(Option.map(demo, view)) })]
            : [
                ...Option.match(demo, { onNone: () => [], onSome: (made) => introduction(made, apiRoot, outbox) }),
                `ready ${apiRoot}`
              ]
        )
    })
  })
).pipe(Command.withDescription("Serve the API and the creators' pages, and run jobs"))

export const workerCommand = Command.make(
  "worker",
  {},
  Effect.fnUntraced(function* () {
    const json = yield* Json
    yield* (yield* service).runWorkerProcess(printLine([json ? JSON.stringify({ ready: true }) : "ready"]))
  })
).pipe(Command.withDescription("Run only jobs: mails, drafts, deadlines. Any number of workers can run"))
