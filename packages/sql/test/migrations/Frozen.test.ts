/**
 * Released migrations have run on databases of other organizations, so the files of released migrations must not
 * change.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { names } from "../../src/migrations/Migrations.ts"

/** The SHA-256 of each released file. Each release adds a line for each of its new migrations. */
const released: Readonly<Record<string, string>> = {
  "0001_organizations": "17bddad8d14a6fc7106ff2fe49e2e9219aa16e74e3d76ca0401d6fe99223be00",
  "0002_personas": "f72ed2ee48e0b3c3cb0ca675be537e64122c50b28b297dd9b0ac70a6a3ad0312",
  "0003_topics": "85d251648d79c50d1aacdc4de4e17b5503a31b69f38341059ae13637ba73e748",
  "0004_mails": "e81c32c06636b93c9a5e83cd842e62e4b2fcf4ede548268e62755b654b1426cc",
  "0005_media": "01e3b675ceb793374f5f2b549dfeb787ad4ef579ded4536ea2bdcdb2c33e094c",
  "0006_webhooks": "d45b40c8cfceedc7833778979531806a7bb6d14231de173fbdc881c619ec6719",
  "0007_metrics": "8fd17b5a98fba8de115cfda191fd79e4aaaa436d1f9b24cf263276dab0a82e75",
  "0008_requests": "f30675c805810bdcd90aa0e1fa6f826f83c1892e30c9ee820d063a1b73638397",
  "0009_operations": "a85604533a8170d5dff898e3eab420407b66c79388081977a14dd85de604fa75",
  Dialect: "0977bd413ef24ba84d6e48e20920af23c107c8e5ba9da8059635e24809e94a84"
}

for (const [name, hash] of Object.entries(released)) {
  it(`${name} is unchanged since its release: add a new migration instead of changing a released one`, () => {
    const text = readFileSync(new URL(`../../src/migrations/${name}.ts`, import.meta.url))
    assert.strictEqual(createHash("sha256").update(text).digest("hex"), hash)
  })
}

it("every released migration is applied before all other migrations", () => {
  const migrations = Object.keys(released).filter((name) => /^\d/.test(name))
  assert.deepStrictEqual(names.slice(0, migrations.length), migrations)
})
