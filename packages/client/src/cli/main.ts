#!/usr/bin/env node
/** The entry point of the command-line program. */
import process from "node:process"
import { runProgram } from "./Program.ts"

const stop = new AbortController()
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort())
// Exit without an error when the reader of stdout, such as `head`, has closed the pipe.
process.stdout.on("error", () => process.exit(0))

const code = await runProgram(process.argv.slice(2), {
  environment: process.env,
  fetch,
  out: (line) => process.stdout.write(`${line}\n`),
  say: (line) => process.stderr.write(`${line}\n`),
  signal: stop.signal
})
// Exit explicitly, because idle connections of `fetch` would keep the process alive for seconds.
process.stdout.write("", () => process.stderr.write("", () => process.exit(code)))
