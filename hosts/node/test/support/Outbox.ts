/** Reads the mails that a service in development has written to its outbox folder. */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

/** Returns the texts of the mails in any order. An unfinished mail has a different file name and is skipped. */
export const readOutbox = async (cwd: string): Promise<ReadonlyArray<string>> => {
  const outbox = join(cwd, "data", "outbox")
  const files = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith(".eml"))
  return Promise.all(files.map((file) => readFile(join(outbox, file), "utf8")))
}
