import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Scope from "@partner-commentary/core/access/Scope"
import { describe, expect, it } from "vitest"
import * as Partner from "../support/Partner.ts"
import * as Process from "../support/Process.ts"

const unknown = "01900000-0000-7000-8000-000000000000"

const failure = async (cwd: string, args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await Process.runCommand(cwd, args)
  expect(code).toBe(1)
  expect(stdout).toBe("")
  expect(stderr).toMatch(/^[^\n]+\.\n$/)
  return stderr
}

describe.concurrent("the `org` command", () => {
  it("the `org` command creates, updates, suspends, resumes and lists organizations, and shows their effective limits", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const created = await Process.runJsonCommand(cwd, [
      ...["org", "create", "--name", "Acme Sports", "--plan", "premium", "--contact-email", "desk@acme.test"],
      ...["--identity-id", "acme", "--limit", "topics_per_month=3", "--limit", "burst_per_minute=0"]
    ])
    expect(created).toMatchObject({
      name: "Acme Sports",
      plan: "premium",
      limits: { requests_per_hour: 5000, burst_per_minute: 0, topics_per_month: 3, topic_reads_per_hour: 1000 },
      contact_email: "desk@acme.test",
      identity_id: "acme",
      suspended_at: null
    })
    const updated = await Process.runJsonCommand(cwd, [
      ...["org", "update", created.id, "--plan", "standard", "--limit", "topics_per_month=", "--contact-email", ""]
    ])
    expect(updated).toMatchObject({ id: created.id, name: "Acme Sports", plan: "standard", contact_email: null })
    expect(updated.limits).toMatchObject({ topics_per_month: 1000, burst_per_minute: 0 })
    const suspended = await Process.runJsonCommand(cwd, ["org", "suspend", created.id.toUpperCase()])
    expect(suspended.suspended_at).toMatch(/Z$/)
    expect(await Process.runJsonCommand(cwd, ["org", "list"])).toEqual([suspended])
    expect((await Process.runJsonCommand(cwd, ["org", "resume", created.id])).suspended_at).toBeNull()
    expect(await failure(cwd, ["org", "create", "--name", "B", "--identity-id", "acme"])).toContain("identity id")
    expect(await failure(cwd, ["org", "suspend", unknown])).toContain(unknown)
  })
})

describe.concurrent("the `persona` and `license` commands", () => {
  it("the `persona` and `license` commands publish, change and license a persona", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const organization = await Process.runJsonCommand(cwd, ["org", "create", "--name", "Acme"])
    const created = await Process.runJsonCommand(cwd, [
      ...["persona", "create", "--name", "Ada Marsh", "--creator-email", "ada@creators.test", "--creator-name", "Ada"],
      ...["--image-url", "https://example.com/ada.png", "--bio", "Midfield.\nNow the studio.", "--expertise", "a, b"],
      ...["--social", "twitter=https://twitter.com/ada", "--social", "instagram=https://instagram.com/ada"]
    ])
    expect(created).toMatchObject({
      name: "Ada Marsh",
      image_url: "https://example.com/ada.png",
      bio: "Midfield.\nNow the studio.",
      expertise: ["a", "b"],
      social_links: { twitter: "https://twitter.com/ada", instagram: "https://instagram.com/ada" },
      creator: { name: "Ada", email: "ada@creators.test" }
    })
    const updated = await Process.runJsonCommand(cwd, [
      ...[
        "persona",
        "update",
        created.id,
        "--name",
        "Ada M.",
        "--image-url",
        "",
        "--expertise",
        "",
        "--social",
        "twitter="
      ]
    ])
    expect(updated).toMatchObject({ name: "Ada M.", image_url: "", expertise: [], creator: created.creator })
    expect(updated.social_links).toEqual({ instagram: "https://instagram.com/ada" })
    expect(await Process.runJsonCommand(cwd, ["persona", "list"])).toEqual([updated])
    const license = ["--org", organization.id, "--persona", created.id]
    expect(await failure(cwd, ["license", "revoke", ...license])).toContain("no licence")
    const granted = await Process.runJsonCommand(cwd, [
      "license",
      "grant",
      ...license,
      "--until",
      "2099-01-01T00:00:00+01:00"
    ])
    expect(granted).toMatchObject({ active: true, until: "2098-12-31T23:00:00.000Z", revoked_at: null })
    expect(await Process.runJsonCommand(cwd, ["license", "list", "--org", organization.id])).toMatchObject([
      { persona_id: created.id, persona_name: "Ada M.", active: true }
    ])
    expect(await Process.runJsonCommand(cwd, ["license", "revoke", ...license])).toMatchObject({ active: false })
    expect(await failure(cwd, ["license", "grant", "--org", organization.id, "--persona", unknown])).toContain(unknown)
    expect(await failure(cwd, ["license", "list", "--org", unknown])).toContain(unknown)
    expect(await failure(cwd, ["persona", "update", unknown, "--name", "x"])).toContain(unknown)
  })
})

describe.concurrent("the `key` command", () => {
  it("creating or revoking a key fails if the audit log entry cannot be written", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { keyId, organization } = await Partner.registerPartner(cwd)
    const database = new DatabaseSync(join(cwd, "data", "partner-commentary.db"))
    database.exec("CREATE TRIGGER full BEFORE INSERT ON audit_log BEGIN SELECT RAISE(ABORT, 'no more records'); END")
    database.close()
    const create = ["key", "create", "--org", organization.id, "--name", "k2", "--scopes", "topics:read"]
    expect((await Process.runCommand(cwd, create)).code).toBe(1)
    expect((await Process.runCommand(cwd, ["key", "revoke", keyId])).code).toBe(1)
    const kept = await Process.runJsonCommand(cwd, ["key", "list", "--org", organization.id])
    expect(kept).toMatchObject([{ id: keyId, revoked_at: null }])
  })

  it("`org create` suggests a command that creates a key with every scope", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { stdout } = await Process.runCommand(cwd, ["org", "create", "--name", "Acme"])
    const [, next = ""] = /Next: partner-commentary (.+)/.exec(stdout) ?? []
    expect(await Process.runJsonCommand(cwd, next.split(" "))).toMatchObject({ name: "NAME", scopes: Scope.allScopes })
  })

  it("the `key` command shows a new key once, lists keys and revokes a key", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { id } = await Process.runJsonCommand(cwd, ["org", "create", "--name", "Acme"])
    const created = await Process.runJsonCommand(cwd, [
      ...["key", "create", "--org", id, "--name", "backend", "--scopes", "topics:read, topics:submit,topics:read"],
      ...[
        "--environment",
        "test",
        "--ip-whitelist",
        "203.0.113.0/24,2001:db8::1",
        "--expires-at",
        "2099-01-01T00:00:00Z"
      ]
    ])
    expect(created.full_key).toMatch(/^pk_test_[0-9A-Za-z]{38}$/)
    expect(created).toMatchObject({
      key_prefix: created.full_key.slice(0, 16),
      scopes: ["topics:read", "topics:submit"],
      environment: "test",
      ip_whitelist: ["203.0.113.0/24", "2001:db8::1"],
      expires_at: "2099-01-01T00:00:00.000Z",
      revoked_at: null
    })
    const { full_key, ...kept } = created
    expect(await Process.runJsonCommand(cwd, ["key", "list", "--org", id])).toEqual([kept])
    const revoked = await Process.runJsonCommand(cwd, ["key", "revoke", created.id])
    expect(revoked).toEqual({ ...kept, revoked_at: revoked.revoked_at })
    expect(await Process.runJsonCommand(cwd, ["key", "revoke", created.id])).toEqual(revoked)
    const create = ["key", "create", "--name", "k", "--scopes", "topics:read"]
    expect(await failure(cwd, [...create, "--org", unknown])).toContain(unknown)
    expect(await failure(cwd, ["key", "revoke", unknown])).toContain(unknown)
    const text = await Process.runCommand(cwd, [...create, "--org", id])
    expect(text.stdout).toMatch(/^ {2}pk_live_[0-9A-Za-z]{38}$/m)
  })
})

describe.concurrent("the `migrate`, `purge` and `doctor` commands", () => {
  it("a second `migrate` changes nothing, `purge` keeps new rows, and `doctor` finds problems", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const missing = await Process.runCommand(cwd, ["doctor"])
    expect(missing.code).toBe(1)
    expect(missing.stdout).toContain("migrate")
    const { applied } = await Process.runJsonCommand(cwd, ["migrate"])
    expect(applied).toContain("0001_organizations")
    expect(await Process.runJsonCommand(cwd, ["migrate"])).toEqual({ applied: [] })
    expect(await Process.runJsonCommand(cwd, ["purge", "--dry-run"])).toEqual({
      mails: 0,
      windows: 0,
      answers: 0,
      events: 0,
      test_topics: 0,
      dry_run: true
    })
    expect(await Process.runJsonCommand(cwd, ["metrics", "rebuild"])).toEqual({ rebuilt_days: expect.any(Number) })
    expect(await Process.runJsonCommand(cwd, ["purge"])).toEqual({
      mails: 0,
      windows: 0,
      answers: 0,
      events: 0,
      test_topics: 0,
      dry_run: false
    })
    expect(await Process.runJsonCommand(cwd, ["doctor"])).toMatchObject({ ok: true })
    const mailless = await Process.runCommand(cwd, ["doctor", "--json"], { SMTP_URL: "smtp://127.0.0.1:9" })
    expect(mailless.code).toBe(1)
    expect(mailless.stderr).toBe("There is one problem.\n")
    expect(JSON.parse(mailless.stdout).findings).toContainEqual(
      expect.objectContaining({ check: "mail server", state: "mend" })
    )
    const misconfigured = await Process.runCommand(cwd, ["doctor"], { LOG_LEVEL: "loud" })
    expect(misconfigured.code).toBe(1)
    expect(misconfigured.stdout).toContain("LOG_LEVEL")
  })
})
