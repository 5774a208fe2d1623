/** Containers on one Postgres database, and what only a server does to them. */
import * as Cluster from "@partner-commentary/test/postgres/Cluster"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ask, schedule } from "../test/Calls.ts"
import * as ContainerSuite from "../test/ContainerSuite.ts"
import * as Deployment from "../test/Deployment.ts"
import * as Emulator from "../test/Emulator.ts"

ContainerSuite.suite("Postgres", Deployment.onPostgres)

let bundle: Awaited<ReturnType<typeof Deployment.makeBundle>>
beforeAll(async () => {
  bundle = await Deployment.makeBundle()
})
afterAll(() => bundle.remove())

const ready = { method: "GET", target: "/readyz" }

describe("a container whose server", () => {
  it("cut it off while it was frozen answers the next request", async (test) => {
    const cluster = await Cluster.start()
    test.onTestFinished(() => cluster.stop())
    const container = await Emulator.container(bundle.folder, Deployment.environment(cluster.url), test)
    expect((await ask(container, ready)).statusCode).toBe(200)
    container.freeze()
    await cluster.restart()
    container.thaw()
    expect((await ask(container, ready)).statusCode).toBe(200)
    expect(await schedule(container)).toMatchObject({ answer: { more_due: false } })
  })

  it("is not there says so without the password, and begins once it is", async (test) => {
    const cluster = await Cluster.start()
    test.onTestFinished(() => cluster.stop())
    const url = new URL(cluster.url)
    url.password = "hunter2"
    url.pathname = "/later"
    const container = await Emulator.container(bundle.folder, Deployment.environment(url.href), test)
    expect((await ask(container, ready)).statusCode).toBe(500)
    expect(container.stderr()).toContain("later")
    expect(container.stderr()).not.toContain("hunter2")
    await Deployment.onServer(cluster.url, "CREATE DATABASE later")
    expect((await ask(container, ready)).statusCode).toBe(200)
  })
})
