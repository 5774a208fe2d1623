/** Checks how long files are and which words stand in them, and that the linter holds what is left to it. */
import { gate } from "./Gate.ts"
import { readFiles } from "./Repository.ts"
import { bannedWord } from "./rules/BannedWord.ts"
import { databaseClock } from "./rules/DatabaseClock.ts"
import { fileLength, lengthReport } from "./rules/FileLength.ts"
import { proveLinter } from "./rules/Linter.ts"
import { openEnd } from "./rules/OpenEnd.ts"

const files = readFiles()
for (const line of lengthReport(files)) process.stdout.write(`${line}\n`)
gate("limits", [fileLength, bannedWord, databaseClock, openEnd], files, proveLinter())
