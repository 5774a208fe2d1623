/**
 * Measures how busy the machine is. Two threads compute briefly while no attack runs. On a quiet machine with two
 * processors, the elapsed time equals the computing time. On a busy machine the threads wait for a processor, so the
 * elapsed time exceeds the computing time.
 */
import { once } from "node:events"
import { Worker } from "node:worker_threads"

const milliseconds = 150

/** Two threads compute, because the service and an attacker also compute at the same time. */
const threads = 2

const computing = `
  const { parentPort } = require("node:worker_threads")
  parentPort.on("message", (milliseconds) => {
    const began = performance.now()
    const before = process.threadCpuUsage()
    const used = () => {
      const { user, system } = process.threadCpuUsage(before)
      return (user + system) / 1000
    }
    let value = 0
    while (used() < milliseconds) for (let each = 0; each < 10000; each++) value += Math.sqrt(each)
    parentPort.postMessage((performance.now() - began) / used())
  })
`

export class MachineSlownessMeter {
  private readonly workers = Array.from({ length: threads }, () => new Worker(computing, { eval: true }))

  /** Returns the factor by which the machine is slower than a quiet machine. */
  async slowness(): Promise<number> {
    const ratios = await Promise.all(
      this.workers.map(async (worker) => {
        const told = once(worker, "message")
        worker.postMessage(milliseconds)
        const [ratio] = await told
        return ratio as number
      })
    )
    return Math.max(...ratios)
  }

  async stop(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.terminate()))
  }
}
