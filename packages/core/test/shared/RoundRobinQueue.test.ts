import { expect, it } from "vitest"
import * as RoundRobinQueue from "../../src/shared/RoundRobinQueue.ts"

it("a round-robin queue returns items of different keys in turn, and keeps the order of each key's items", () => {
  const queue = RoundRobinQueue.make<string>()
  for (const item of ["a1", "a2", "a3", "b1", "b2", "c1"]) queue.push(item.charAt(0), item)
  expect(queue.shift()).toBe("a1")
  queue.push("d", "d1")
  expect(queue.size()).toBe(6)
  expect(Array.from({ length: 7 }, () => queue.shift())).toEqual(["b1", "c1", "a2", "d1", "b2", "a3", undefined])
  expect(queue.size()).toBe(0)
})
