/** Runs the workflow of the `demo` command in a temporary folder, from an empty database to fetched commentaries. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Outbox from "@partner-commentary/smtp/Outbox"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as DataFolder from "../app/DataFolder.ts"
import { CommandFailed } from "../cli/CommandFailed.ts"
import * as Service from "../server/Service.ts"
import type { CreatedDemoOrganization } from "./DemoOrganization.ts"
import * as DemoWorkflow from "./DemoWorkflow.ts"

/**
 * The demo ignores the environment variables. All settings except PORT, WEBHOOK_ALLOW_PRIVATE and LOG_LEVEL have their
 * defaults. WEBHOOK_ALLOW_PRIVATE permits a webhook receiver on this machine.
 */
const settings = ConfigProvider.fromEnvRecord({ PORT: "0", WEBHOOK_ALLOW_PRIVATE: "true", LOG_LEVEL: "error" })

export const runDemo = (tell: (line: string) => void) =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* elsewhere
      const served = yield* Deferred.make<{
        readonly apiRoot: string
        readonly demo: Option.Option<CreatedDemoOrganization>
      }>()
      const story = Effect.flatMap(Deferred.await(served), ({ apiRoot, demo }) =>
        Option.match(demo, {
          onNone: () => Effect.fail(new CommandFailed({ message: "The demo organization was not made." })),
          onSome: (made) => runWorkflow(apiRoot, made, tell)
        })
      )
      const serve = Service.serve({
        work: true,
        announce: (started) => Effect.asVoid(Deferred.succeed(served, started))
      })
      return yield* Effect.raceFirst(serve, story)
    })
  ).pipe(Effect.provideService(ConfigProvider.ConfigProvider, settings))

const runWorkflow = Effect.fnUntraced(
  function* (apiRoot: string, demo: CreatedDemoOrganization, tell: (line: string) => void) {
    const outbox = yield* Outbox.Outbox
    const mails = () => Effect.runPromise(outbox.list)
    return yield* Effect.tryPromise({
      try: () => DemoWorkflow.runDemoWorkflow({ apiRoot, demo, mails, tell }),
      catch: (cause) => new CommandFailed({ message: `The demo ended early: ${(cause as Error).message}` })
    })
  },
  Effect.provide(Outbox.layer({ folder: DataFolder.outboxFolder }))
)

/**
 * The default database's path is relative to the working directory, so the process changes into a temporary folder and
 * back.
 */
const elsewhere = Effect.acquireRelease(
  Effect.tryPromise({
    try: async () => {
      const home = process.cwd()
      const folder = await mkdtemp(join(tmpdir(), "partner-commentary-demo-"))
      process.chdir(folder)
      return { home, folder }
    },
    catch: (cause) =>
      new CommandFailed({ message: `The demo needs a folder in ${tmpdir()}: ${(cause as Error).message}.` })
  }),
  ({ folder, home }) =>
    Effect.promise(() => {
      process.chdir(home)
      return rm(folder, { recursive: true, force: true })
    })
)
