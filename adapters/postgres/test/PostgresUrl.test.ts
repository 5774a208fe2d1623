/** Tests the parser of Postgres URLs: the parts that errors and logs show, and the TLS settings. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PostgresUrl from "@partner-commentary/postgres/PostgresUrl"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"

const parse = (text: string) => Result.getOrThrow(PostgresUrl.parsePostgresUrl(Redacted.make(text)))

const reason = (text: string) =>
  Result.getOrThrow(Result.flip(PostgresUrl.parsePostgresUrl(Redacted.make(text)))).reason

describe("Postgres URLs", () => {
  it("a Postgres URL is shown as host, port and database, without user and password", () => {
    expect(parse("postgres://u:hunter2@db.example.com/desk").told).toBe("db.example.com port 5432, database desk")
    expect(parse("postgresql://u:hunter2@[::1]:6000/a%20b").told).toBe("[::1] port 6000, database a b")
    expect(parse("postgres:///desk?host=/var/run/postgresql&user=u&password=hunter2").told).toBe(
      "/var/run/postgresql port 5432, database desk"
    )
  })

  it("a Postgres URL uses TLS if the server offers TLS, except for a server on the same machine", () => {
    expect(parse("postgres://localhost/x").ssl).toBe(false)
    expect(parse("postgres://127.0.0.1/x").ssl).toBe(false)
    expect(parse("postgres:///x?host=/tmp").ssl).toBe(false)
    expect(parse("postgres://db.example.com/x").ssl).toBeUndefined()
    expect(parse("postgres://db.example.com/x?sslmode=disable").ssl).toBe(false)
    expect(parse("postgres://db.example.com/x?sslmode=prefer").ssl).toBeUndefined()
  })

  it("a Postgres URL verifies the server according to the sslmode", () => {
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

  it("a query parameter of a Postgres URL overrides the same part of the URL, as in the driver", () => {
    const twice = "postgres://localhost:6000/a?host=db.example.com&port=7000&dbname=b"
    expect(parse(twice).told).toBe("db.example.com port 7000, database b")
    expect(parse(twice).ssl).toBeUndefined()
  })

  it("a Postgres URL accepts only libpq's parameters, so a misspelt ssl_mode is refused", () => {
    const by = (query: string) => reason(`postgres://u:hunter2@db.example.com/x?${query}`)
    expect(by("ssl_mode=verify-full")).toBe("must have parameters of libpq alone, which ssl_mode is not: sslmode is")
    expect(by("SSLMODE=verify-full")).toContain("which SSLMODE is not: sslmode is")
    expect(by("sslmode=require&schema=desk")).toBe("must have parameters of libpq alone, which schema is not")
    expect(by("service=desk")).toBe("must leave out service, which is not followed here")
    expect(by("channel_binding=require")).toContain(
      "must leave out channel_binding, which is not followed here, or have it as"
    )
    expect(by("sslmode=verify-full&sslmode=disable")).toBe("must have sslmode once")
    expect(by("sslmode=verify-full&ssl=true")).toBe("must have sslmode once")
    expect(by("ssl=1")).toBe("must have ssl as true, or an sslmode instead")
    expect(by("password=hun&zebra=2")).not.toContain("zebra")
    expect(by("zebra@db/x")).not.toContain("zebra")
    expect(parse("postgres://db.example.com/x?ssl=true").ssl).toEqual({ rejectUnauthorized: false })
    const harmless =
      "application_name=a&connect_timeout=3&options=-c%20search_path%3Ddesk&keepalives=1&channel_binding=prefer"
    expect(parse(`postgres://db.example.com/x?sslmode=verify-full&${harmless}`).ssl).toEqual({})
  })

  it("the error for an invalid Postgres URL contains no part of the URL", () => {
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
