/** Tests which references and services a running request or job can access. */
import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import { Policy } from "../../src/shared/Policy.ts"
import { PublicAddress } from "../../src/shared/PublicAddress.ts"
import { removeServices } from "../../src/shared/RunningContext.ts"

class HostService extends Context.Service<HostService, string>()("example/HostService") {}

it("the context of a running request keeps the host's references and services, but no services of Partner Commentary", () => {
  const policy = { ...Policy.defaultValue(), maxPersonas: 7 }
  const running = removeServices(
    Context.make(PublicAddress, { apiRoot: "https://api.example" }).pipe(
      Context.add(Policy, policy),
      Context.add(HostService, "mine")
    )
  )
  assert.isTrue(Context.getOption(running, PublicAddress)._tag === "None")
  assert.strictEqual(Context.get(running, Policy), policy)
  assert.strictEqual(Context.get(running, HostService), "mine")
})
