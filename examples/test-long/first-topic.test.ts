/** Follows the embedding guide from the first start to an approved commentary. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import * as Mounted from "../test/Mounted.ts"
import * as Story from "../test/Story.ts"

const example = (name: string) => join(import.meta.dirname, "..", name)
const env = { NODE_OPTIONS: "" }

it("the embedding guide's server and first topic lead to an approved commentary", async (test) => {
  const command = [process.execPath, example("frameworks/express.ts")] as const
  const started = await Story.startExample(test, Mounted.makeTemporaryFolder(test), command, { env })
  const { folder, secret, url } = started
  const { stdout } = await promisify(execFile)(process.execPath, [example("frameworks/first-topic.ts")], {
    cwd: folder,
    env: { ...process.env, ...env, COMMENTARY_URL: url, COMMENTARY_SECRET: secret }
  })
  const key = stdout.trim()
  await Story.approveCommentary(started)
  const headers = { "x-api-key": key }
  const found = await fetch(`${url}/partner/v1/topics/by-reference/derby-1`, { headers })
  expect(await found.text()).toContain("The home side.")
})
