/**
 * Gives a finished file its final name. Another process sees either the whole file under that name or none. On a file
 * system without hard links it may see an empty file for a moment.
 */
import * as fs from "node:fs/promises"
import { setTimeout } from "node:timers/promises"

/** The error codes of file systems without hard links, such as FAT and some network shares. */
const noHardLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException).code)

/**
 * The function fails with EEXIST if the final name exists. Creating a hard link fails if the name exists, but a rename
 * would replace the file.
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

/** Waits while the file is empty: the process that reserved its name fills it within milliseconds. */
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

/** An empty file reserves the name until the rename replaces it. */
const renameToFree = async (unfinished: string, final: string): Promise<void> => {
  const reserved = await fs.open(final, "wx", 0o600)
  await reserved.close()
  await fs.rename(unfinished, final).catch(async (error) => {
    await fs.rm(final)
    throw error
  })
}
