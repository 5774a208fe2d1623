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

it("in a round-robin queue, a key whose last turn is older than the last turns of all waiting keys goes first", () => {
  const queue = RoundRobinQueue.make<string>()
  const take = (count: number) => Array.from({ length: count }, () => queue.shift())
  queue.push("quiet", "quiet 1")
  for (const item of ["a1", "b1", "a2", "b2", "a3", "b3"]) queue.push(item.charAt(0), item)
  expect(take(3)).toEqual(["quiet 1", "a1", "b1"])
  queue.push("quiet", "quiet 2")
  queue.push("quiet", "quiet 3")
  expect(take(4)).toEqual(["quiet 2", "a2", "b2", "quiet 3"])
  queue.push("quiet", "quiet 4")
  expect(take(3)).toEqual(["a3", "b3", "quiet 4"])
})

it("in a round-robin queue, an item can go before its key's other items, but not before other keys", () => {
  const queue = RoundRobinQueue.make<string>()
  for (const item of ["a1", "a2", "b1"]) queue.push(item.charAt(0), item)
  expect(queue.shift()).toBe("a1")
  queue.pushFirst("a", "a first")
  queue.pushFirst("c", "c first")
  expect(queue.size()).toBe(4)
  expect(Array.from({ length: 5 }, () => queue.shift())).toEqual(["b1", "a first", "c first", "a2", undefined])
})
