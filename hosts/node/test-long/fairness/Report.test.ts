/** Tests which late responses make the fairness run fail. */
import { expect, it } from "vitest"
import * as Report from "./Report.ts"
import type { AttackMeasurements } from "./Run.ts"

const rowOf = (worst: number, worstRunning: number, slowness: number): AttackMeasurements => ({
  name: "an attack",
  victim: { worst, worstRunning, slowest: "GET status", answers: 10, failed: 0, refused: [] },
  attacker: { sent: 1, answers: {} },
  peak: 100,
  slowness,
  end: null
})

const exceeds = (row: AttackMeasurements) =>
  Report.describeExceededLimits({ database: "SQLite", control: row.victim, rows: [row] }).length > 0

it("on a quiet machine a response after more than 500 ms fails the run without a second measurement", () => {
  const late = rowOf(501, 490, 1.1)
  expect([exceeds(late), Report.isInconclusive(late)]).toEqual([true, false])
  expect(exceeds(rowOf(499, 499, 1.1))).toBe(false)
})

it("on a busy machine the response time limit is higher, and the time for which a response waits for a processor is not counted", () => {
  expect(exceeds(rowOf(1131, 140, 1.6))).toBe(false)
  expect(exceeds(rowOf(1131, 790, 1.6))).toBe(false)
  expect(exceeds(rowOf(810, 810, 1.6))).toBe(true)
  expect(exceeds(rowOf(1131, 900, 1.6))).toBe(true)
})

it("a late response is measured again if a wait for a processor delayed the response, even if the control measurement was fast", () => {
  const late = rowOf(1131, 140, 1.1)
  expect([exceeds(late), Report.isInconclusive(late)]).toEqual([true, true])
  expect(Report.isInconclusive(rowOf(1131, 1100, 1.1))).toBe(false)
})
