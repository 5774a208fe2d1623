/** What an address says: what is told of it, and how TLS is understood. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PostgresUrl from "@partner-commentary/postgres/PostgresUrl"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"

const parse = (text: string) => Result.getOrThrow(PostgresUrl.parse(Redacted.make(text)))

const reason = (text: string) => Result.getOrThrow(Result.flip(PostgresUrl.parse(Redacted.make(text)))).reason

describe("PostgresUrl", () => {
  it("is told of by host, port and database, never by user and password", () => {
    expect(parse("postgres://u:hunter2@db.example.com/desk").told).toBe("db.example.com port 5432, database desk")
    expect(parse("postgresql://u:hunter2@[::1]:6000/a%20b").told).toBe("[::1] port 6000, database a b")
    expect(parse("postgres:///desk?host=/var/run/postgresql&user=u&password=hunter2").told).toBe(
      "/var/run/postgresql port 5432, database desk"
    )
  })

  it("takes TLS where it is offered, but for this machine itself", () => {
    expect(parse("postgres://localhost/x").ssl).toBe(false)
    expect(parse("postgres://127.0.0.1/x").ssl).toBe(false)
    expect(parse("postgres:///x?host=/tmp").ssl).toBe(false)
    expect(parse("postgres://db.example.com/x").ssl).toBeUndefined()
    expect(parse("postgres://db.example.com/x?sslmode=disable").ssl).toBe(false)
    expect(parse("postgres://db.example.com/x?sslmode=prefer").ssl).toBeUndefined()
  })

  it("asks who answers as the mode says", () => {
    const folder = mkdtempSync(join(tmpdir(), "address-"))
    const file = join(folder, "ca.pem")
    writeFileSync(file, "ca")
    const by = (query: string) => parse(`postgres://db.example.com/x?${query}`).ssl
    expect(by("sslmode=require")).toEqual({ rejectUnauthorized: false })
    expect(by(`sslmode=require&sslrootcert=${file}`)).toMatchObject({
      ca: "ca",
      checkServerIdentity: expect.anything()
    })
    expect(by(`sslmode=verify-ca&sslrootcert=${file}`)).not.toHaveProperty("rejectUnauthorized")
    expect(by("sslmode=verify-full")).toEqual({})
    expect(by(`sslmode=verify-full&sslrootcert=${file}&sslcert=${file}&sslkey=${file}`)).toEqual({
      ca: "ca",
      cert: "ca",
      key: "ca"
    })
    rmSync(folder, { recursive: true })
  })

  it("is refused in words that hold nothing of it", () => {
    for (const text of [
      "mysql://u:hunter2@db/x",
      "hunter2",
      "postgres://u:hunter2@db/x?sslmode=hunter2",
      "postgres://u:hunter2@db/x?connect_timeout=hunter2",
      "postgres://u:hunter2@db:port/x"
    ]) {
      expect(reason(text)).toMatch(/^must /)
      expect(reason(text)).not.toContain("hunter2")
    }
  })
})
