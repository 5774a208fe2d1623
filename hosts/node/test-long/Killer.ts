/**
 * Sends SIGKILL to the service repeatedly: at random moments, during startup, and during operations that must be
 * atomic.
 */
import { EventEmitter, once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import type { HostProcess } from "./Host.ts"
import type { LossyProxy } from "./LossyProxy.ts"
import type { RandomSource } from "./Randomness.ts"

/**
 * The events at which the test can kill the running process: a request to the process, or a request from the process.
 */
export type KillMoment = "submission" | "action" | "handover" | "generation"

const ways = { startup: 3, anytime: 6, submission: 3, action: 3, handover: 3, generation: 2, answer: 4 } as const
type Way = keyof typeof ways

export class ProcessKiller {
  readonly moments = new EventEmitter()
  readonly tally: Record<Way, number> = {
    startup: 0,
    anytime: 0,
    submission: 0,
    action: 0,
    handover: 0,
    generation: 0,
    answer: 0
  }
  private readonly host: HostProcess
  private readonly line: LossyProxy
  private readonly random: RandomSource

  constructor(host: HostProcess, line: LossyProxy, random: RandomSource) {
    this.host = host
    this.line = line
    this.random = random
  }

  /** Kills and restarts the process repeatedly until `goOn` returns false. */
  async killRepeatedly(goOn: () => boolean): Promise<void> {
    while (!this.host.ended && goOn()) {
      const way = this.random.pick(ways)
      await this.await(way)
      this.tally[way] += 1
      await this.host.kill()
    }
  }

  private async await(way: Way): Promise<void> {
    const { host, line, moments, random } = this
    if (way === "startup") return sleep(random.between(0, 900))
    await host.ready()
    if (way === "anytime") return sleep(random.between(100, 3000))
    await sleep(random.between(200, 2000))
    // Kill after the service has processed the request and before the caller gets the response.
    if (way === "answer") return Promise.race([line.loseNext(), sleep(2500)])
    // If the chosen event does not occur within the timeout, kill the process at the timeout.
    await once(moments, way, { signal: AbortSignal.timeout(2500) }).catch(() => {})
    if (random.chance(0.7)) await sleep(random.between(0, 25))
  }
}
