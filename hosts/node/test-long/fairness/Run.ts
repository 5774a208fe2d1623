/**
 * Runs one attack after the other on one database, while a victim uses the same service. The service has a memory
 * limit.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import * as Process from "../../test/support/Process.ts"
import { type Attack, getConnectionCount } from "./Attack.ts"
import type { AttackResponseCounts } from "./Attacker.ts"
import { MachineSlownessMeter } from "./Control.ts"
import type { VictimMeasurements } from "./Victim.ts"

export interface AttackMeasurements {
  readonly name: string
  readonly victim: VictimMeasurements
  readonly attacker: AttackResponseCounts
  /** The highest resident memory of the service during the attack, in MiB. */
  readonly peak: number
  /**
   * The factor by which the machine is slower than a quiet machine. The slowdown is measured just before and just after
   * the attack, and the larger factor is used.
   */
  readonly slowness: number
  /** The reason why the service exited during the attack, or null if the service still runs. */
  readonly end: string | null
}

export interface ServiceUnderAttack {
  readonly cwd: string
  readonly env: Process.EnvironmentVariables
  readonly scene: string
  readonly root: string
}

/**
 * The victim has recovered if its responses take at most this many milliseconds, or at most as long as without an
 * attack.
 */
const calm = 100
/** The maximum milliseconds by which a busy machine may delay the start of an attack. */
const maxStartDelayMs = 10_000
const maxRecoveryMs = 15_000

const file = (name: string) => new URL(name, import.meta.url)

/**
 * True if every connection has sent a request. If the attacker reads responses, every connection must also have
 * received a response.
 */
const hasBegun = (attack: Attack, { answers, sent }: AttackResponseCounts): boolean => {
  const answered = Object.values(answers).reduce((sum, count) => sum + count, 0)
  const reads = attack.manner === undefined || attack.manner === "asks" || attack.manner === "leaves"
  return sent >= getConnectionCount(attack) && (!reads || answered >= getConnectionCount(attack))
}

export class FairnessRun {
  private readonly place: ServiceUnderAttack
  private service: Process.RunningService | undefined
  private victim: ChildProcess | undefined
  private usual = calm
  private readonly idle = new MachineSlownessMeter()

  constructor(place: ServiceUnderAttack) {
    this.place = place
  }

  async start(): Promise<void> {
    this.service = await Process.startServiceProcess(this.place.cwd, ["serve"], this.place.env)
  }

  async begin(test: Process.TestCleanup): Promise<void> {
    await this.start()
    const victim = fork(file("Victim.ts"), [this.place.scene, this.place.root, String(this.service?.pid)])
    test.onTestFinished(async () => void victim.kill("SIGKILL"))
    this.victim = victim
  }

  /** Measures the victim for the given time without an attack. */
  async control(milliseconds: number): Promise<VictimMeasurements> {
    await this.ask("begin")
    await sleep(milliseconds)
    const seen = await this.ask("tell")
    this.usual = Math.max(calm, seen.worst)
    return seen
  }

  async suffer(name: string, attack: Attack, firstKey: number): Promise<AttackMeasurements> {
    const before = await this.idle.slowness()
    this.resetPeak()
    await this.ask("begin")
    const attacker = fork(file("Attacker.ts"), [this.place.scene, name, String(firstKey), this.place.root])
    let tally: AttackResponseCounts = { sent: 0, answers: {} }
    const ended = once(attacker, "exit")
    attacker.on("message", (message) => {
      tally = message as AttackResponseCounts
    })
    const began = performance.now()
    const isOver = () => {
      const elapsed = performance.now() - began - (attack.lasts ?? 1500)
      return elapsed > maxStartDelayMs || (elapsed > 0 && hasBegun(attack, tally))
    }
    while (!isOver()) await sleep(50)
    attacker.kill("SIGKILL")
    await ended
    const victim = await this.measureRecovery()
    const peak = this.peak()
    const slowness = Math.max(before, await this.idle.slowness())
    if (peak === null) return { name, victim, attacker: tally, peak: 0, slowness, end: await this.again() }
    return { name, victim, attacker: tally, peak, slowness, end: null }
  }

  async stop(): Promise<void> {
    this.victim?.kill("SIGKILL")
    await this.idle.stop()
    await this.service?.stop()
  }

  /**
   * Measures the victim repeatedly until its responses are as fast as without an attack. Returns the worst values of
   * all measurements.
   */
  private async measureRecovery(): Promise<VictimMeasurements> {
    const until = performance.now() + maxRecoveryMs
    const first = await this.ask("tell")
    const all = { ...first, refused: [...first.refused] }
    for (let quiet = 0; quiet < 2 && performance.now() < until && this.peak() !== null; ) {
      await this.ask("begin")
      await sleep(200)
      const seen = await this.ask("tell")
      quiet = seen.worst < this.usual ? quiet + 1 : 0
      if (seen.worst > all.worst) Object.assign(all, { worst: seen.worst, slowest: seen.slowest })
      if (seen.worstRunning > all.worstRunning) Object.assign(all, { worstRunning: seen.worstRunning })
      all.failed += seen.failed
      all.answers += seen.answers
      all.refused.push(...seen.refused)
    }
    return all
  }

  private async again(): Promise<string> {
    const { code, stderr } = (await this.service?.stop()) ?? { code: null, stderr: "" }
    await this.start()
    this.victim?.send(this.service?.pid ?? 0)
    const reason = /FATAL ERROR: [^\n]*/.exec(stderr)?.[0] ?? stderr.slice(-200)
    return `exit ${code} ${reason}`
  }

  private ask(word: "begin" | "tell"): Promise<VictimMeasurements> {
    const { victim } = this
    if (victim === undefined) throw new Error("the victim was not started")
    const told = once(victim, "message")
    victim.send(word)
    return told.then(([seen]) => seen as VictimMeasurements)
  }

  private resetPeak(): void {
    writeFileSync(`/proc/${this.service?.pid}/clear_refs`, "5")
  }

  /** Returns the service's peak memory in MiB, or null if the service has exited. */
  private peak(): number | null {
    try {
      const line = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${this.service?.pid}/status`, "utf8"))
      return line === null ? null : Number(line[1]) / 1024
    } catch {
      return null
    }
  }
}
