/** A running request or job has the references of its host, and none of the services. */
import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import { Policy } from "../../src/shared/Policy.ts"
import { PublicAddress } from "../../src/shared/PublicAddress.ts"
import { withoutServices } from "../../src/shared/RunningContext.ts"

class HostService extends Context.Service<HostService, string>()("example/HostService") {}

it("services of Partner Commentary are removed, references and services of the host stay", () => {
  const policy = { ...Policy.defaultValue(), maxPersonas: 7 }
  const running = withoutServices(
    Context.make(PublicAddress, { apiRoot: "https://api.example" }).pipe(
      Context.add(Policy, policy),
      Context.add(HostService, "mine")
    )
  )
  assert.isTrue(Context.getOption(running, PublicAddress)._tag === "None")
  assert.strictEqual(Context.get(running, Policy), policy)
  assert.strictEqual(Context.get(running, HostService), "mine")
})
