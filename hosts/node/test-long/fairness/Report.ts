/** Defines the limits that must hold under every attack, and formats the table of the measurements. */
import type { AttackMeasurements } from "./Run.ts"
import type { VictimMeasurements } from "./Victim.ts"

/**
 * The victim's maximum response time in milliseconds on a quiet machine. On a busy machine, the time for which a
 * response waits for a processor or the disk is not counted. On a busy machine, the limit is also multiplied by the
 * measured slowdown of the machine.
 */
const maxResponseMs = 500

/** A machine with a slowdown below this factor counts as quiet. */
const quietSlowdown = 1.2

/** The limit of the service's resident memory in MiB. */
export const serviceMemoryLimitMiB = 512

export interface FairnessReport {
  readonly database: string
  readonly control: VictimMeasurements
  readonly rows: Array<AttackMeasurements>
}

const limitOf = ({ slowness }: AttackMeasurements): number =>
  slowness < quietSlowdown ? maxResponseMs : maxResponseMs * slowness

const countedTime = ({ slowness, victim }: AttackMeasurements): number =>
  slowness < quietSlowdown ? victim.worst : victim.worstRunning

const isLate = (row: AttackMeasurements): boolean => row.end === null && countedTime(row) > limitOf(row)

/** The machine was busy if a response spent more than this share of its time waiting for a processor or the disk. */
const busyPart = 0.2

/**
 * True if the victim waited too long while the machine was busy. The control measurement runs only before and after the
 * attack, so the control measurement can miss a short stall of the machine. A short stall of the machine is visible in
 * the time for which the victim waits for a processor.
 */
export const isInconclusive = (row: AttackMeasurements): boolean =>
  isLate(row) && (row.slowness >= quietSlowdown || row.victim.worstRunning < row.victim.worst * (1 - busyPart))

const failures = ({ attacker, victim }: AttackMeasurements): number =>
  victim.failed +
  Object.entries(attacker.answers).reduce((sum, [status, count]) => (status.startsWith("5") ? sum + count : sum), 0)

/** Returns a sentence for each limit that was exceeded. */
export const describeExceededLimits = (report: FairnessReport): ReadonlyArray<string> =>
  report.rows.flatMap((row) => {
    const { end, name, peak, victim } = row
    const where = `${report.database}, ${name}:`
    const limit = limitOf(row)
    if (end !== null) return [`${where} the service ended (${end})`]
    return [
      ...(isLate(row)
        ? [
            `${where} ${victim.slowest} of the victim took ${countedTime(row).toFixed(0)} ms, and ${limit.toFixed(0)} are allowed`
          ]
        : []),
      ...(victim.refused.length > 0
        ? [`${where} ${victim.refused.length} requests of the victim failed, the first with ${victim.refused[0]}`]
        : []),
      ...(failures(row) > 0 ? [`${where} ${failures(row)} answers were 5xx`] : []),
      ...(peak > serviceMemoryLimitMiB
        ? [`${where} the service used ${peak.toFixed(0)} MiB, and ${serviceMemoryLimitMiB} are allowed`]
        : [])
    ]
  })

const cells = (row: AttackMeasurements | undefined): ReadonlyArray<string> =>
  row === undefined
    ? ["", "", "", "", "", ""]
    : [
        row.victim.worst.toFixed(0),
        row.victim.worstRunning.toFixed(0),
        row.slowness.toFixed(1),
        String(failures(row)),
        row.end === null ? row.peak.toFixed(0) : `ended: ${row.end}`,
        Object.entries(row.attacker.answers)
          .map(([status, count]) => `${count}×${status}`)
          .join(" ")
      ]

const joined = (parts: ReadonlyArray<string>) => `| ${parts.join(" | ")} |`

export const formatAttackRow = (reports: ReadonlyArray<FairnessReport>, name: string): string =>
  joined([name, ...reports.flatMap(({ rows }) => cells(rows.find((row) => row.name === name)))])

export const formatTable = (reports: ReadonlyArray<FairnessReport>): string => {
  const names = [...new Set(reports.flatMap(({ rows }) => rows.map(({ name }) => name)))]
  const head = reports.flatMap(({ control, database }) => [
    `${database}: victim's worst ms (${control.worst.toFixed(0)} alone)`,
    "without waits for a processor or the disk",
    "machine slower by",
    "5xx",
    "peak RSS MiB",
    "attacker's answers"
  ])
  const lines = [
    joined(["attack", ...head]),
    joined(["---", ...head.map(() => "---:")]),
    ...names.map((name) => formatAttackRow(reports, name))
  ]
  return lines.join("\n")
}
