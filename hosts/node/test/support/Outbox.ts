/** The mails that a service for development has written into its folder. */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

/** Their texts, in no order; none where there is no folder yet. While one is written, it has another name. */
export const mails = async (cwd: string): Promise<ReadonlyArray<string>> => {
  const outbox = join(cwd, "data", "outbox")
  const files = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith(".eml"))
  return Promise.all(files.map((file) => readFile(join(outbox, file), "utf8")))
}
