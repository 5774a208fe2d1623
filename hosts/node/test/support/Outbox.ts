/** Reads the mails that a service in development mode has written into its outbox folder. */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

/** Returns the texts of all complete mails in no particular order. Only complete mails have the extension `.eml`. */
export const readOutbox = async (cwd: string): Promise<ReadonlyArray<string>> => {
  const outbox = join(cwd, "data", "outbox")
  const files = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith(".eml"))
  return Promise.all(files.map((file) => readFile(join(outbox, file), "utf8")))
}
