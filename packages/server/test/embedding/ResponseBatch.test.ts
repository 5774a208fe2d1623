import { concurrencyPoolLimits } from "@partner-commentary/core/access/ConcurrencyLimit"
import * as NodeListener from "@partner-commentary/server/NodeListener"
import { describe, expect, it } from "vitest"

const none = () => undefined
const request = { headers: {}, socket: {}, readableEnded: true, on: none, pause: none, resume: none }

/** Makes a listener that answers each request with the body, and records the responses in the order of their end. */
const makeListener = (body: string) => {
  const ends: Array<() => void> = []
  const ended: Array<number> = []
  const listener = NodeListener.make(
    { handle: () => Promise.resolve({ status: 200, headers: {}, body }) },
    (error) => expect(error).toBeUndefined(),
    (run) => void ends.push(run)
  )
  const answer = (number: number) =>
    listener(request, {
      headersSent: false,
      writableFinished: false,
      writeHead: none,
      write: () => true,
      end: () => void ended.push(number),
      destroy: none,
      on: none
    })
  const endTurn = () => {
    for (const end of ends.splice(0)) end()
  }
  return { answer, endTurn, ended }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

describe("a batch of responses", () => {
  it("the short responses of a turn are written in their order at the end of the turn", async () => {
    const { answer, endTurn, ended } = makeListener("short")
    const answers = [answer(1), answer(2)]
    await settled()
    expect(ended).toEqual([])
    endTurn()
    await Promise.all(answers)
    expect(ended).toEqual([1, 2])
    const next = answer(3)
    await settled()
    endTurn()
    await next
    expect(ended).toEqual([1, 2, 3])
  })

  it("as many responses as an organization may have at a time do not wait for the end of the turn", async () => {
    const { answer, ended } = makeListener("short")
    const numbers = Array.from({ length: concurrencyPoolLimits.standard.each }, (_, index) => index)
    await Promise.all(numbers.map(answer))
    expect(ended).toEqual(numbers)
  })

  it("a long response does not wait for the end of the turn", async () => {
    const { answer, ended } = makeListener("x".repeat(20_000))
    await answer(1)
    expect(ended).toEqual([1])
  })
})
