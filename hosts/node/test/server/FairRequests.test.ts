import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import * as FairRequests from "@partner-commentary/node/server/FairRequests"
import * as RequestGateChain from "@partner-commentary/node/server/RequestGateChain"
import * as FairScheduler from "@partner-commentary/server/middleware/FairScheduler"
import * as Result from "effect/Result"
import { expect, it, onTestFinished } from "vitest"

/** Starts a server whose scheduler runs only when the test calls `turn`. */
const serve = async () => {
  const began: Array<string> = []
  let due: Array<() => void> = []
  let waiting = 0
  let now = 0
  const fair = FairScheduler.make({ now: () => now, next: (run) => void due.push(run) })
  const native = createServer((request, response) => {
    began.push(`${request.headers["x-api-key"]}`)
    // One request uses the whole time budget of a turn of the event loop.
    now += FairScheduler.turnBudgetMs
    response.end()
  })
  const counted = {
    ...fair,
    connected: () => {},
    start: (keyOf: () => string, task: () => void) => {
      waiting++
      fair.start(keyOf, task)
    }
  }
  // The task uses up the scheduler's time budget for the current turn of the event loop.
  fair.start(
    () => "busy",
    () => {
      now += FairScheduler.turnBudgetMs
    }
  )
  FairRequests.installFairRequests(
    native,
    RequestGateChain.make(native),
    counted,
    Result.getOrThrow(IpAllowList.parseAllowList(["127.0.0.1"]))
  )
  onTestFinished(() => void native.close().closeAllConnections())
  await new Promise<void>((resolve) => native.listen(0, "127.0.0.1", resolve))
  const { port } = native.address() as AddressInfo
  const ask = (key: string, client = "192.0.2.1") => {
    const headers = `Host: a\r\nX-Api-Key: ${key}\r\nX-Forwarded-For: ${client}\r\nConnection: close`
    const socket = connect(port, "127.0.0.1", () => socket.write(`GET / HTTP/1.1\r\n${headers}\r\n\r\n`))
    onTestFinished(() => void socket.destroy())
    return socket.on("error", () => {})
  }
  const turn = () => {
    const runs = due
    due = []
    for (const run of runs) run()
  }
  return { accept: fair.accept, ask, began, native, turn, waiting: () => waiting }
}

it("requests of one organization share a turn even with different keys, so another organization waits for only one such request", async () => {
  const { accept, ask, began, turn, waiting } = await serve()
  for (const key of ["attacker", "attacker's other key"]) accept(key, "the attacker")
  accept("victim", "the victim")
  for (let each = 0; each < 10; each++) ask(each % 2 === 0 ? "attacker" : "attacker's other key")
  await expect.poll(waiting).toBe(10)
  turn()
  ask("victim")
  await expect.poll(waiting).toBe(11)
  turn()
  turn()
  expect(began[2]).toBe("victim")
})

it("requests with unverified keys share the turn of their client address", async () => {
  const { accept, ask, began, turn, waiting } = await serve()
  accept("victim", "the victim")
  for (let each = 0; each < 10; each++) ask(`claimed ${each}`)
  await expect.poll(waiting).toBe(10)
  turn()
  ask("victim")
  await expect.poll(waiting).toBe(11)
  ask("a new partner", "192.0.2.2")
  await expect.poll(waiting).toBe(12)
  for (let turns = 0; turns < 3; turns++) turn()
  expect(began.slice(2)).toEqual(["victim", "a new partner"])
})

it("a request is dropped if its client disconnects before the request's turn", async () => {
  const { ask, began, native, turn, waiting } = await serve()
  const gone = ask("gone")
  await expect.poll(waiting).toBe(1)
  gone.destroy()
  await expect.poll(() => new Promise((resolve) => native.getConnections((_, count) => resolve(count)))).toBe(0)
  turn()
  turn()
  expect(began).toEqual([])
})
