/** Tests that the Lambda host refuses an invalid configuration with a message for the operator. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Environment from "../src/Environment.ts"
import * as Deployment from "./Deployment.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "lambda-environment-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const buildLayer = (env: Deployment.EnvironmentVariables) =>
  Effect.scoped(Layer.build(Layer.fresh(Environment.layer))).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))
  )

it.effect("a missing SQLite file is refused, because a new file would start an empty service", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const env = Deployment.makeLambdaEnvironment(Deployment.makeSqliteUrl(path))
    const { message } = yield* Effect.flip(buildLayer(env))
    assert.include(message, "the file does not exist")
    assert.include(message, "migrate")
    assert.isFalse(existsSync(join(path, "partner-commentary.db")))
    writeFileSync(join(path, "partner-commentary.db"), "")
    yield* buildLayer(env)
  })
)
