/** Tests that the `demo` command runs the whole workflow and leaves no files behind. */
import { mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeWorkingFolder, spawnCommand as run, runJsonCommand } from "../../test/support/Process.ts"

test("the demo prints all its steps, succeeds, and leaves no files behind", async (context) => {
  const home = await makeWorkingFolder(context)
  const temporary = join(home, "temporary")
  await mkdir(temporary)
  const { code, stderr, stdout } = await run(home, ["demo"], { TMPDIR: temporary })
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  for (const step of [
    /Demo Sports submits “.*” to Ada Marsh, Bruno Okafor, Carla Winter/,
    /Mail to Ada <ada@/,
    /declines: “/,
    /approves it, with a sentence added/,
    /receives creator.approved about .*, and its signature is right/,
    /receives commentary.failed about .* \(declined\)/,
    /receives partner.approved/,
    /"external_reference": "derby-1"/
  ]) {
    expect(stdout).toMatch(step)
  }
  // Node also stores its compile cache in the temporary folder.
  expect((await readdir(temporary)).filter((name) => name !== "node-compile-cache")).toEqual([])
  expect(await readdir(home)).toEqual(["temporary"])
})

test("the demo changes neither the configured database nor the files in the working directory", async (context) => {
  const home = await makeWorkingFolder(context)
  await mkdir(join(home, "data"))
  await writeFile(join(home, "data", "partner-commentary.db"), "somebody's")
  const env = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", SMTP_URL: "smtp://127.0.0.1:1", PORT: "1" }
  const { events, fetched } = await runJsonCommand(home, ["demo"], env)
  expect(fetched.summary).toEqual({ total_personas: 3, completed: 2, pending: 0, failed: 1 })
  expect(events.map(({ type }: { readonly type: string }) => type).toSorted()).toEqual([
    "commentary.failed",
    "creator.approved",
    "creator.approved",
    "partner.approved"
  ])
  expect(await readdir(join(home, "data"))).toEqual(["partner-commentary.db"])
})

test("a demo that cannot start prints the reason in one sentence", async (context) => {
  const home = await makeWorkingFolder(context)
  await writeFile(join(home, "nowhere"), "no folder")
  const { code, stderr, stdout } = await run(home, ["demo"], { TMPDIR: join(home, "nowhere") })
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
  expect(stderr).toMatch(/^The demo needs a folder in .*nowhere.*\n$/)
})
