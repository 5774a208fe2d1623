/**
 * Tests that the command line creates dashboard tokens only in development. Outside development, an identity provider
 * issues the tokens.
 */
import { OAuth2Server } from "oauth2-mock-server"
import { describe, expect, it } from "vitest"
import * as Process from "../support/Process.ts"

const keys = async (apiRoot: string, token: string, body?: unknown) => {
  const response = await fetch(`${apiRoot}/partner/v1/api-keys`, {
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
  })
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of the JSON
  return { status: response.status, body: (await response.json()) as any }
}

const wanted = { name: "Backend", scopes: ["personas:read"] }
const production = {
  DEV: "false",
  SMTP_URL: "smtp://127.0.0.1:9",
  SIGNING_SECRET: "a-secret-that-only-this-test-knows"
}

/** Commands require DATABASE_URL outside development. The tests set DATABASE_URL to the default of development mode. */
const named = { DATABASE_URL: "sqlite:./data/partner-commentary.db" }

describe("the `token create` command", () => {
  it("the server accepts a token of the `token create` command until the requested time has passed", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { apiRoot } = await Process.startService(cwd)
    const [{ id }] = await Process.runJsonCommand(cwd, ["org", "list"])
    const { token } = await Process.runJsonCommand(cwd, ["token", "create", "--org", id, "--expires-in", "2 hours"])
    const created = await keys(apiRoot, token, wanted)
    expect(created.status).toBe(201)
    const personas = await fetch(`${apiRoot}/partner/v1/personas`, {
      headers: { "x-api-key": created.body.data.full_key }
    })
    expect(personas.status).toBe(200)
    const claims = JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString())
    expect(claims.exp - claims.iat).toBe(7200)
    const text = await Process.runCommand(cwd, ["token", "create", "--org", id])
    expect(text.stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    expect((await keys(apiRoot, text.stdout.trim())).status).toBe(200)
  })

  it("the `token create` command refuses an unknown organization, and refuses to run outside development or with an identity provider", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { id } = await Process.runJsonCommand(cwd, ["org", "create", "--name", "Acme"])
    const provider = { JWKS_URL: "http://127.0.0.1:9/jwks", JWT_ISSUER: "i", JWT_AUDIENCE: "a" }
    const failure = async (organization: string, env: Process.EnvironmentVariables) => {
      const { code, stderr, stdout } = await Process.runCommand(cwd, ["token", "create", "--org", organization], env)
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      expect(stderr).toMatch(/^[^\n]+\.\n$/)
      return stderr
    }
    const unknown = "01900000-0000-7000-8000-000000000000"
    expect(await failure(unknown, {})).toBe(`There is no organization ${unknown}.\n`)
    expect(await failure(id, { DEV: "false", ...named })).toContain("only in development")
    expect(await failure(id, provider)).toContain("JWKS_URL")
    expect(await failure(id, { ...provider, JWT_ISSUER: "" })).toBe(
      "JWT_ISSUER must be set if JWKS_URL is set: the iss of its tokens.\n"
    )
  })
})

describe("an external identity provider", () => {
  it("the server accepts tokens of an external identity provider, and `doctor` checks the provider's keys", async (test) => {
    const provider = new OAuth2Server()
    await provider.issuer.keys.generate("ES256")
    await provider.start(0, "127.0.0.1")
    test.onTestFinished(() => (provider.listening ? provider.stop() : Promise.resolve()))
    const issuer = provider.issuer.url ?? ""
    const cwd = await Process.makeWorkingFolder(test)
    const env = { JWKS_URL: `${issuer}/jwks`, JWT_ISSUER: issuer, JWT_AUDIENCE: "commentary", JWT_ORG_CLAIM: "tenant" }
    await Process.runJsonCommand(cwd, ["migrate"], { ...production, ...named })
    const { apiRoot, stderr } = await Process.startService(cwd, ["serve"], { ...production, ...env })
    expect(stderr()).not.toContain("JWKS_URL")
    const signed = (claims: object) =>
      provider.issuer.buildToken({ scopesOrTransform: (_, payload) => Object.assign(payload, claims) })
    const good = await signed({ aud: "commentary", tenant: "demo-sports" })
    expect((await keys(apiRoot, good, wanted)).status).toBe(201)
    expect((await keys(apiRoot, await signed({ aud: "commentary", org_id: "demo-sports" }))).status).toBe(401)
    expect((await keys(apiRoot, await signed({ aud: "another", tenant: "demo-sports" }))).status).toBe(401)

    const about = async (env: Process.EnvironmentVariables) => {
      const { stdout } = await Process.runCommand(cwd, ["doctor", "--json"], env)
      return JSON.parse(stdout).findings.find(({ check }: { check: string }) => check === "identity provider")
    }
    expect(await about(env)).toMatchObject({ state: "ok", message: "JWKS_URL returns one usable key." })
    await provider.stop()
    expect((await keys(apiRoot, good)).status).toBe(200)
    expect(await about(env)).toMatchObject({ state: "mend", message: expect.stringContaining("ECONNREFUSED") })
    expect(await about({})).toMatchObject({ state: "ok" })
    expect(await about({ ...production, ...named })).toMatchObject({
      state: "notice",
      message: expect.stringContaining("JWKS_URL is unset")
    })
  })

  it("outside development without an identity provider, the service warns when it starts and refuses every token", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    await Process.runJsonCommand(cwd, ["migrate"])
    const { id } = await Process.runJsonCommand(cwd, ["org", "create", "--name", "Acme"])
    const { token } = await Process.runJsonCommand(cwd, ["token", "create", "--org", id], {
      SIGNING_SECRET: production.SIGNING_SECRET
    })
    const { apiRoot, stderr } = await Process.startService(cwd, ["serve"], production)
    expect(stderr()).toContain("JWKS_URL is unset: the API-key operations reject every token")
    expect((await keys(apiRoot, token)).status).toBe(401)
  })
})
