/**
 * Defines the commands `serve` and `worker`, which run until a stop signal. The modules of `serve` and `worker` are
 * loaded on demand.
 */
import * as Settings from "@partner-commentary/settings/Settings"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { JsonFlag, printLines } from "../Output.ts"
import * as Parameter from "../Parameter.ts"

export const serveCommand = Command.make(
  "serve",
  {
    noWorker: Flag.Boolean("no-worker").pipe(
      Flag.withDescription("Run no jobs, because a worker process runs them"),
      Flag.withDefault(false)
    ),
    processes: Parameter.declareOptionalFlag(
      "processes",
      Settings.processCountParser,
      "N",
      "Processes that share the port: 1 on SQLite, else by default as many as there are cores, at most 8"
    )
  },
  Effect.fnUntraced(function* ({ noWorker, processes }) {
    const json = yield* JsonFlag
    const { formatGettingStarted: introduction, demoOrganizationToJson: view } = yield* Effect.promise(
      () => import("../../demo/DemoOrganization.ts")
    )
    const { serveInProcesses } = yield* Effect.promise(() => import("../../processes/ServeProcesses.ts"))
    yield* serveInProcesses({
      work: !noWorker,
      processes,
      announce: ({ apiRoot, demo, outbox }) =>
        printLines(
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
    const json = yield* JsonFlag
    const { runWorkerProcess } = yield* Effect.promise(() => import("../../server/Service.ts"))
    yield* runWorkerProcess(printLines([json ? JSON.stringify({ ready: true }) : "ready"]))
  })
).pipe(Command.withDescription("Run only jobs: mails, drafts, deadlines. Any number of workers can run"))
