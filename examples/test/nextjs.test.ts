/** Checks the example as Next.js uses it: the module's exports, the start, and a request. Next.js itself is not started here. */
import { join } from "node:path"
import { expect, it } from "vitest"
import * as Mounted from "./Mounted.ts"

/** The exports that Next.js documents for a route's module, beside the methods. */
const settings = ["dynamic", "dynamicParams", "revalidate", "fetchCache", "runtime", "preferredRegion", "maxDuration"]
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

it("a Next.js application starts the service with its server, and answers below the path of the route", async (test) => {
  const place = Mounted.folder(test)
  Object.assign(process.env, {
    NEXT_RUNTIME: "nodejs",
    COMMENTARY_SECRET: "a secret of the tests, and long enough",
    DATABASE: join(place, "commentary.db"),
    OUTBOX: join(place, "outbox")
  })
  const { register } = await import("../nextjs/instrumentation.ts")
  await register()
  const { pc } = await import("../nextjs/commentary.ts")
  test.onTestFinished(pc.stop)
  const route: Readonly<Record<string, unknown>> = await import("../nextjs/route.ts")
  expect(Object.keys(route).filter((name) => ![...methods, ...settings].includes(name))).toEqual([])
  expect(Object.keys(route)).toEqual(expect.arrayContaining(methods))

  const answer = route["GET"] as (request: Request) => Promise<Response>
  const asked = new Request("http://127.0.0.1:3000/commentary/partner/v1/personas")
  const response = await answer(asked)
  expect([response.status, await response.json()]).toMatchObject([401, { error: { code: "unauthorized" } }])
  expect((await answer(new Request("http://127.0.0.1:3000/commentary/readyz"))).status).toBe(200)
})
