/**
 * Gives a finished file its final name. Under the final name, other processes see either the whole file or no file. On
 * a file system without hard links, other processes may briefly see an empty file.
 */
import * as fs from "node:fs/promises"
import { setTimeout } from "node:timers/promises"

/** File systems without hard links, such as FAT and some network shares, return one of these error codes. */
const noHardLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException).code)

/**
 * Gives the unfinished file its final name, and fails with EEXIST if this name exists. The function uses a hard link,
 * because a rename would replace an existing file.
 */
export const renameWithoutReplacing = async (unfinished: string, final: string, link = fs.link): Promise<void> => {
  try {
    await link(unfinished, final)
  } catch (error) {
    if (!noHardLinks.has(codeOf(error))) throw error
    return await renameToFree(unfinished, final)
  }
  await fs.rm(unfinished)
}

/**
 * Reads a file, and waits while the file is empty. A process that reserves a name with an empty file replaces the empty
 * file within milliseconds.
 */
export const readFileWhenNonEmpty = async (path: string): Promise<string> => {
  for (let tries = 0; tries < maxReads; tries++) {
    const text = await fs.readFile(path, "utf8")
    if (text !== "") return text
    await setTimeout(readPause)
  }
  return ""
}

const maxReads = 40
const readPause = 50

/** Reserves the final name with an empty file, which the rename replaces. */
const renameToFree = async (unfinished: string, final: string): Promise<void> => {
  const reserved = await fs.open(final, "wx", 0o600)
  await reserved.close()
  await fs.rename(unfinished, final).catch(async (error) => {
    await fs.rm(final)
    throw error
  })
}
