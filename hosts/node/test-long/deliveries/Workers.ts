/**
 * Runs several workers on one database, kills workers at various moments, and restarts each killed worker immediately.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { HostProcess, type TestServiceConfig } from "../Host.ts"
import type { RandomSource } from "../Randomness.ts"

/** `arrival` is a kill just after a receiver has received a request or has sent a response. */
const ways = { startup: 2, anytime: 4, arrival: 8 } as const
export type KillTiming = keyof typeof ways

export class WorkerKiller {
  readonly workers: ReadonlyArray<HostProcess>
  readonly tally: Record<KillTiming, number> = { startup: 0, anytime: 0, arrival: 0 }
  private readonly random: RandomSource
  private readonly waiting: Array<() => void> = []

  constructor(at: TestServiceConfig, size: number, random: RandomSource) {
    this.random = random
    this.workers = Array.from({ length: size }, () => new HostProcess(at, ["worker"]))
  }

  get kills(): number {
    return this.workers.reduce((sum, { kills }) => sum + kills.length, 0)
  }

  get complaints(): ReadonlyArray<string> {
    return this.workers.flatMap(({ complaints }) => complaints)
  }

  start(): void {
    for (const worker of this.workers) worker.start()
  }

  /**
   * Reports that a receiver has just received a request or sent a response. If a kill is planned for the next request
   * or response, the kill happens now.
   */
  moment(): void {
    this.waiting.shift()?.()
  }

  /** Kills workers until the given number of kills is reached. Each kill waits until `mayKill` resolves. */
  async killRepeatedly(kills: number, mayKill: () => Promise<void>): Promise<void> {
    let begun = 0
    await Promise.all(
      this.workers.map(async (worker, number) => {
        const random = this.random.fork(number)
        while (begun < kills) {
          begun += 1
          await mayKill()
          const way = random.pick(ways)
          await this.await(worker, way, random)
          this.tally[way] += 1
          await worker.kill()
        }
      })
    )
  }

  async stop(): Promise<ReadonlyArray<number | null>> {
    return Promise.all(this.workers.map((worker) => worker.stop()))
  }

  private async await(worker: HostProcess, way: KillTiming, random: RandomSource): Promise<void> {
    if (way === "startup") return sleep(random.between(50, 500))
    await worker.ready()
    if (way === "anytime") return sleep(random.between(10, 900))
    await sleep(random.between(0, 500))
    const next = new Promise<void>((resolve) => this.waiting.push(resolve))
    await Promise.race([next, sleep(500)])
    await sleep(random.between(0, 15))
  }
}
