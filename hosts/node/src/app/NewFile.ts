/**
 * Gives a finished file its final name. Under the final name, another process sees the complete file or no file. On a
 * file system without hard links, another process may see an empty file for a moment.
 */
import * as fs from "node:fs/promises"
import { setTimeout } from "node:timers/promises"

/** File systems without hard links, such as FAT and some network shares, return one of these error codes. */
const noHardLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException).code)

/**
 * Renames the finished file, and fails with EEXIST if the final name exists. The name is created as a hard link,
 * because a plain rename would replace an existing file.
 */
export const publishFile = async (unfinished: string, final: string, link = fs.link): Promise<void> => {
  try {
    await link(unfinished, final)
  } catch (error) {
    if (!noHardLinks.has(codeOf(error))) throw error
    return await renameToFree(unfinished, final)
  }
  await fs.rm(unfinished)
}

/**
 * Reads the file, and waits while it is empty. The process that reserved the file's name fills the file within
 * milliseconds.
 */
export const readFilledFile = async (path: string): Promise<string> => {
  for (let tries = 0; tries < mostReads; tries++) {
    const text = await fs.readFile(path, "utf8")
    if (text !== "") return text
    await setTimeout(readPause)
  }
  return ""
}

const mostReads = 40
const readPause = 50

/** Reserves the final name with an empty file, which the rename then replaces. */
const renameToFree = async (unfinished: string, final: string): Promise<void> => {
  const reserved = await fs.open(final, "wx", 0o600)
  await reserved.close()
  await fs.rename(unfinished, final).catch(async (error) => {
    await fs.rm(final)
    throw error
  })
}
