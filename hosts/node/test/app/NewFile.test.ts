/** Tests that only a complete file gets its final name, on file systems with and without hard links. */
import { link, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import * as NewFile from "../../src/app/NewFile.ts"
import * as Process from "../support/Process.ts"

const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }))

const systems = { "with hard links": link, "without hard links": failing("EPERM") }

describe.concurrent.each(Object.entries(systems))("a new file on a file system %s", (_, linked) => {
  it("a new file gets its final name, and the unfinished file is removed", async (test) => {
    const folder = await Process.makeWorkingFolder(test)
    await writeFile(join(folder, "part"), "whole")
    await NewFile.renameWithoutReplacing(join(folder, "part"), join(folder, "final"), linked)
    expect(await readFile(join(folder, "final"), "utf8")).toBe("whole")
    expect(await readdir(folder)).toEqual(["final"])
  })

  it("a new file never replaces an existing file with the same name", async (test) => {
    const folder = await Process.makeWorkingFolder(test)
    await writeFile(join(folder, "part"), "whole")
    await writeFile(join(folder, "final"), "older")
    const published = NewFile.renameWithoutReplacing(join(folder, "part"), join(folder, "final"), linked)
    await expect(published).rejects.toMatchObject({ code: "EEXIST" })
    expect(await readFile(join(folder, "final"), "utf8")).toBe("older")
  })

  it("if the unfinished file is missing, the rename fails and leaves no empty file under the final name", async (test) => {
    const folder = await Process.makeWorkingFolder(test)
    const published = NewFile.renameWithoutReplacing(join(folder, "part"), join(folder, "final"), linked)
    await expect(published).rejects.toMatchObject({ code: "ENOENT" })
    expect(await readdir(folder)).toEqual([])
  })
})

it("a reader of an empty file waits until the file has content", async (test) => {
  const file = join(await Process.makeWorkingFolder(test), "final")
  await writeFile(file, "")
  const text = NewFile.readFileWhenNonEmpty(file)
  await setTimeout(200)
  await writeFile(file, "whole")
  expect(await text).toBe("whole")
})

it("if the hard link fails with a disk error, publishing the file fails and does not fall back to a rename", async (test) => {
  const folder = await Process.makeWorkingFolder(test)
  await writeFile(join(folder, "part"), "whole")
  const published = NewFile.renameWithoutReplacing(join(folder, "part"), join(folder, "final"), failing("EIO"))
  await expect(published).rejects.toMatchObject({ code: "EIO" })
  expect(await readdir(folder)).toEqual(["part"])
})
