/**
 * How busy the machine is with other work: two threads compute for a moment while nobody attacks. On a quiet machine of two
 * processors they need as long as they compute. Beside other processes they wait for a processor, and so does the service.
 */
import { once } from "node:events"
import { Worker } from "node:worker_threads"

const milliseconds = 150

/** The service and an attacker compute at the same time. */
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

export class Control {
  private readonly workers = Array.from({ length: threads }, () => new Worker(computing, { eval: true }))

  /** How many times longer work takes than it would on a quiet machine. */
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
