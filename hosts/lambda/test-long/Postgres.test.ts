/** Tests containers on one Postgres database, and faults of the database server. */
import { openPostgresRecordingProxy } from "@partner-commentary/test/postgres/PostgresProxy"
import * as PostgresServer from "@partner-commentary/test/postgres/PostgresServer"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { invokeSchedule, makeApiKeyHeaders, sendHttpEvent } from "../test/Calls.ts"
import * as ContainerSuite from "../test/ContainerSuite.ts"
import * as Deployment from "../test/Deployment.ts"
import * as Emulator from "../test/Emulator.ts"

ContainerSuite.registerContainerSuite("Postgres", Deployment.seedPostgresDatabase)

let bundle: Awaited<ReturnType<typeof Deployment.makeBundle>>
beforeAll(async () => {
  bundle = await Deployment.makeBundle()
})
afterAll(() => bundle.remove())

const ready = { method: "GET", target: "/readyz" }

describe("a container and its database server", () => {
  it("a container whose database connection was cut while the container was frozen answers the next request", async (test) => {
    const cluster = await PostgresServer.startPostgresServer()
    test.onTestFinished(() => cluster.stop())
    const container = await Emulator.startContainer(bundle.folder, Deployment.makeLambdaEnvironment(cluster.url), test)
    expect((await sendHttpEvent(container, ready)).statusCode).toBe(200)
    container.freeze()
    await cluster.restart()
    container.thaw()
    expect((await sendHttpEvent(container, ready)).statusCode).toBe(200)
    expect(await invokeSchedule(container)).toMatchObject({ answer: { more_due: false } })
  })

  it.for(["forget", "freeze"] as const)(
    "a container whose connections were lost while it was frozen answers the next request within 10 seconds: %s",
    async (loss, test) => {
      const seed = await Deployment.seedPostgresDatabase()
      const { key, url } = await seed.copy(test)
      const proxy = await openPostgresRecordingProxy(url)
      test.onTestFinished(async () => {
        await proxy.close()
        await seed.remove()
      })
      const env = Deployment.makeLambdaEnvironment(proxy.url)
      const container = await Emulator.startContainer(bundle.folder, env, test)
      const list = { method: "GET", target: "/partner/v1/personas", headers: makeApiKeyHeaders(key) }
      expect((await sendHttpEvent(container, list)).statusCode).toBe(200)
      expect(await invokeSchedule(container)).toMatchObject({ answer: { more_due: false } })
      container.freeze()
      proxy[loss]()
      await new Promise((resolve) => setTimeout(resolve, 6000))
      container.thaw()
      const from = performance.now()
      expect((await sendHttpEvent(container, list)).statusCode).toBe(200)
      expect(performance.now() - from).toBeLessThan(10_000)
    }
  )

  it("a container whose database is down logs the reason without the password, and starts when the database is available again", async (test) => {
    const cluster = await PostgresServer.startPostgresServer()
    test.onTestFinished(() => cluster.stop())
    const url = new URL(cluster.url)
    url.password = "hunter2"
    url.pathname = "/later"
    const container = await Emulator.startContainer(bundle.folder, Deployment.makeLambdaEnvironment(url.href), test)
    expect((await sendHttpEvent(container, ready)).statusCode).toBe(500)
    expect(container.stderr()).toContain("later")
    expect(container.stderr()).not.toContain("hunter2")
    await Deployment.runSqlOnServer(cluster.url, "CREATE DATABASE later")
    expect((await sendHttpEvent(container, ready)).statusCode).toBe(200)
  })
})
