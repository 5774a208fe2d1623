import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import * as FairRequests from "@partner-commentary/node/server/FairRequests"
import * as RequestGate from "@partner-commentary/node/server/RequestGate"
import * as FairScheduler from "@partner-commentary/server/middleware/FairScheduler"
import { expect, it, onTestFinished } from "vitest"

/** A server whose turns come when the test says so. */
const serve = async () => {
  const began: Array<string> = []
  let due: Array<() => void> = []
  let waiting = 0
  let now = 0
  const fair = FairScheduler.make({ now: () => now, next: (run) => void due.push(run) })
  const native = createServer((request, response) => {
    began.push(`${request.headers["x-api-key"]}`)
    // Heavy: a turn has room for one.
    now += FairScheduler.budget
    response.end()
  })
  FairRequests.bound(native, RequestGate.make(native), {
    ...fair,
    connected: () => {},
    run: (key, task) => {
      waiting++
      fair.run(key, task)
    }
  })
  onTestFinished(() => void native.close().closeAllConnections())
  await new Promise<void>((resolve) => native.listen(0, "127.0.0.1", resolve))
  const { port } = native.address() as AddressInfo
  const ask = (key: string) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${key}\r\nConnection: close\r\n\r\n`)
    )
    onTestFinished(() => void socket.destroy())
    return socket.on("error", () => {})
  }
  const turn = () => {
    const runs = due
    due = []
    for (const run of runs) run()
  }
  return { ask, began, native, turn, waiting: () => waiting }
}

it("requests of one caller begin in turns of their own, and another caller's begins after one of them", async () => {
  const { ask, began, turn, waiting } = await serve()
  for (let each = 0; each < 10; each++) ask("attacker")
  await expect.poll(waiting).toBe(10)
  turn()
  ask("victim")
  await expect.poll(waiting).toBe(11)
  turn()
  turn()
  expect(began).toEqual(["attacker", "attacker", "victim"])
})

it("a request whose client has gone before its turn does no work", async () => {
  const { ask, began, native, turn, waiting } = await serve()
  const gone = ask("gone")
  await expect.poll(waiting).toBe(1)
  gone.destroy()
  await expect.poll(() => new Promise((resolve) => native.getConnections((_, count) => resolve(count)))).toBe(0)
  turn()
  turn()
  expect(began).toEqual([])
})
