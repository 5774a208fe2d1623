/**
 * The conditions of a measurement: the machine, the flush time of its disk, and the rate of a server that does nothing.
 */
import { spawn } from "node:child_process"
import { closeSync, fdatasyncSync, openSync, statfsSync, unlinkSync, writeSync } from "node:fs"
import { cpus, loadavg } from "node:os"
import { join } from "node:path"

const memoryFileSystems = new Map([
  [0x01021994, "tmpfs"],
  [0x858458f6, "ramfs"]
])

export const describeMachine = (folder: string): ReadonlyArray<string> => {
  const cores = cpus()
  const inMemory = memoryFileSystems.get(statfsSync(folder).type)
  return [
    `node ${process.versions.node}, SQLite ${process.versions["sqlite"] ?? "built in"}, ${cores.length} cores (${cores[0]?.model.trim()}), load ${loadavg()[0]?.toFixed(2)}`,
    `one flush of 8 KiB to the disk: ${flush(folder).toFixed(2)} ms, median of 200${inMemory === undefined ? "" : `; the folder for temporary files is a ${inMemory}, so a flush costs nothing: set TMPDIR to a disk`}`,
    ...(cores.length < 2 ? ["one core alone: server and generator take it from each other"] : [])
  ]
}

/** Measures the time of a disk flush, which is the lower bound for a durable commit. */
const flush = (folder: string): number => {
  const file = join(folder, "flush")
  const descriptor = openSync(file, "w")
  const block = Buffer.alloc(8192, 1)
  const times = Array.from({ length: 200 }, () => {
    writeSync(descriptor, block)
    const begin = performance.now()
    fdatasyncSync(descriptor)
    return performance.now() - begin
  })
  closeSync(descriptor)
  unlinkSync(file)
  return times.sort((one, other) => one - other)[100]!
}

const answering = `require("node:http").createServer((request, response) => {
  response.setHeader("content-type", "application/json")
  response.end('{"success":true,"data":"${"x".repeat(900)}"}')
}).listen(0, "127.0.0.1", function () { console.log(this.address().port) })`

/**
 * Starts a plain `node:http` server with a constant response. The rate of the constant server is the highest rate that
 * the load generator can measure on this machine.
 */
export const startConstantServer = async () => {
  const child = spawn(process.execPath, ["--eval", answering], { stdio: ["ignore", "pipe", "inherit"] })
  const [chunk] = (await new Promise((resolve) => child.stdout.once("data", (...said) => resolve(said)))) as [Buffer]
  return { port: Number(String(chunk)), stop: () => child.kill() }
}
