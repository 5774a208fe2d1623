import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import { describe, expect, it, vi } from "vitest"
import * as CommandLine from "../../src/cli/CommandLine.ts"
import { rootCommand } from "../../src/cli/Program.ts"
import * as Process from "../support/Process.ts"

const id = "01900000-0000-7000-8000-000000000000"

describe("wrong usage", () => {
  const wrong: ReadonlyArray<readonly [string, ReadonlyArray<string>, RegExp]> = [
    ["no command", [], /USAGE[\s\S]*\nSay which command of partner-commentary you mean\.\n$/],
    [
      "a command group without a command",
      ["org"],
      /USAGE[\s\S]*\nSay which command of partner-commentary org you mean\.\n$/
    ],
    [
      "a flag that is neither true nor false",
      ["purge", "--dry-run=maybe"],
      /^--dry-run must be true or false, which "maybe" is not\.\n/
    ],
    ["`retry` with neither an id nor --all", ["retry"], /--all/],
    ["`retry` with both an id and --all", ["retry", id, "--all"], /--all/],
    ["an unknown command", ["organisation"], /no command organisation/],
    ["an unknown flag", ["org", "list", "--all"], /--all/],
    ["a missing flag", ["org", "create"], /--name/],
    ["a missing argument", ["org", "suspend"], /id/],
    ["one argument too many", ["org", "list", "x"], /"x"/],
    ["a malformed id", ["org", "suspend", "7"], /"7"/],
    ["an empty name", ["org", "create", "--name", " "], /--name/],
    ["a name on two lines", ["org", "create", "--name", "a\nb"], /--name/],
    ["an unknown plan", ["org", "create", "--name", "a", "--plan", "gold"], /standard, premium/],
    ["an unknown limit", ["org", "create", "--name", "a", "--limit", "keys=1"], /requests_per_hour/],
    ["a negative limit", ["org", "create", "--name", "a", "--limit", "topics_per_month=-1"], /--limit/],
    ["a malformed e-mail", ["persona", "create", "--name", "a", "--creator-email", "ada"], /--creator-email/],
    ["a URL of another scheme", ["persona", "update", id, "--image-url", "file:///x"], /--image-url/],
    ["an unknown scope", ["key", "create", "--org", id, "--name", "a", "--scopes", "topics"], /topics:submit/],
    [
      "a malformed range",
      ["key", "create", "--org", id, "--name", "a", "--scopes", "topics:read", "--ip-whitelist", "10/8"],
      /--ip-whitelist/
    ],
    [
      "a time without a time zone",
      ["license", "grant", "--org", id, "--persona", id, "--until", "2026-01-01"],
      /--until/
    ],
    ["`org update` without a change", ["org", "update", id], /Say what to change/],
    ["`persona update` without a change", ["persona", "update", id], /Say what to change/],
    ["a token without an organization", ["token", "create"], /--org is missing/],
    ["a token for a malformed organization id", ["token", "create", "--org", "acme"], /--org must be an id/],
    [
      "a token with a lifetime of zero",
      ["token", "create", "--org", id, "--expires-in", "0 hours"],
      /--expires-in must be a duration/
    ],
    ["a process count of zero", ["serve", "--processes", "0"], /--processes must be a whole number from 1 to 256/],
    ["several processes on SQLite", ["serve", "--processes", "2"], /^--processes must be 1 on SQLite, [^\n]+\.\n$/],
    ["the same address twice", ["creator", "change-email", "--from", "a@b.c", "--to", "A@b.c"], /same address/]
  ]

  it("wrong usage exits with code 2, prints a sentence on stderr and prints nothing on stdout", async (test) => {
    const outcome = await Process.spawnCommand(await Process.makeWorkingFolder(test), ["org", "suspend", "7"])
    expect(outcome).toMatchObject({ code: 2, stdout: "" })
    expect(outcome.stderr).toMatch(/^id must be an id such as [^\n]+\.\nSee partner-commentary org suspend --help\.\n$/)
  })

  it.for(wrong)("%s is wrong usage, and the message explains the correct usage", async ([, args, right]) => {
    const said = { out: [] as Array<unknown>, error: [] as Array<unknown> }
    const out = vi.spyOn(process.stdout, "write").mockImplementation((text) => said.out.push(text) > 0)
    const error = vi.spyOn(process.stderr, "write").mockImplementation((text) => said.error.push(text) > 0)
    const exit = await Effect.runPromiseExit(CommandLine.execute(rootCommand, args))
    const code = CommandLine.printFailureAndGetExitCode(exit)
    out.mockRestore()
    error.mockRestore()
    expect({ code, out: said.out }).toEqual({ code: 2, out: [] })
    expect(said.error.join("")).toMatch(right)
  })
})

describe.concurrent("the flags --help and --version", () => {
  it("every command prints its help on stdout", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    for (const args of [[], ["serve"], ["org", "create"], ["creator", "erase"]]) {
      const { code, stderr, stdout } = await Process.runCommand(cwd, [...args, "--help"])
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      expect(stdout).toContain(`partner-commentary ${args.join(" ")}`.trim())
    }
    expect((await Process.spawnCommand(cwd, ["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe.concurrent("a wrong setting", () => {
  it("a wrong setting stops any command with exit code 1 and one sentence", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    for (const args of [["serve"], ["worker"], ["org", "list"], ["migrate"]]) {
      const outcome = await Process.runCommand(cwd, args, { RESPONSE_WINDOW: "later" })
      expect(outcome).toMatchObject({ code: 1, stdout: "" })
      expect(outcome.stderr).toMatch(/^RESPONSE_WINDOW must be [^\n]+\.\n$/)
    }
  })

  it("`serve` refuses PROCESSES above 1 on SQLite, and other commands accept the setting", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const outcome = await Process.runCommand(cwd, ["serve"], { PROCESSES: "2" })
    expect(outcome).toMatchObject({ code: 1, stdout: "" })
    expect(outcome.stderr).toMatch(/^PROCESSES must be 1 on SQLite, [^\n]+\.\n$/)
    expect(await Process.runCommand(cwd, ["migrate"], { PROCESSES: "2" })).toMatchObject({ code: 0 })
  })

  it("a wrong setting is printed as a JSON line if LOG_FORMAT is json", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    for (const args of [["serve"], ["purge"]]) {
      const outcome = await Process.spawnCommand(cwd, args, { RESPONSE_WINDOW: "later", LOG_FORMAT: "JSON" })
      expect(outcome).toMatchObject({ code: 1, stdout: "" })
      expect(outcome.stderr.match(/\n/g)).toHaveLength(1)
      expect(JSON.parse(outcome.stderr)).toEqual({
        message: expect.stringMatching(/^RESPONSE_WINDOW must be [^\n]+\.$/),
        level: "FATAL",
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/)
      })
    }
  })

  it("a database that cannot be opened is reported in one sentence", async (test) => {
    const outcome = await Process.runCommand(await Process.makeWorkingFolder(test), ["org", "list"], {
      DATABASE_URL: "sqlite:/dev/null/x.db"
    })
    expect(outcome).toMatchObject({ code: 1, stdout: "" })
    expect(outcome.stderr).toMatch(/^DATABASE_URL points at \/dev\/null\/x\.db: [^\n]+\.\n$/)
    const doctor = await Process.runCommand(await Process.makeWorkingFolder(test), ["doctor"], {
      DATABASE_URL: "sqlite:/dev/null/x.db",
      DEV: "true"
    })
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toContain("DATABASE_URL points at /dev/null/x.db: unable to open database file")
  })

  it("an invalid default mail sender is refused with the variable's name", async (test) => {
    const outcome = await Process.runCommand(await Process.makeWorkingFolder(test), ["worker"], {
      HOST: "my_host",
      DEV: "true"
    })
    expect(outcome).toMatchObject({ code: 1, stdout: "" })
    expect(outcome.stderr).toMatch(/^MAIL_FROM must be [^\n]+\.\n$/m)
    expect(outcome.stderr).not.toContain("Stopped")
  })

  it("a database that lacks an older migration stops every command with one sentence", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const env = { DATABASE_URL: "sqlite:./gap.db", DEV: "true", LOG_LEVEL: "warn", PORT: "0" }
    await Process.runJsonCommand(cwd, ["migrate"], env)
    const database = new DatabaseSync(join(cwd, "gap.db"))
    database.exec("DELETE FROM partner_commentary_migrations WHERE migration_id = 4")
    database.close()
    for (const args of [["serve"], ["migrate"], ["metrics", "rebuild"]]) {
      const outcome = await Process.runCommand(cwd, args, { ...env, PUBLIC_URL: "http://localhost:1" })
      expect(outcome).toMatchObject({ code: 1, stdout: "" })
      expect(outcome.stderr).toContain("but not the migration 0004_mails before it")
      expect(outcome.stderr.split("\n")).toHaveLength(2)
    }
  })

  it("a database of a newer version stops every command with one sentence", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const env = { DATABASE_URL: "sqlite:./new.db", DEV: "true", LOG_LEVEL: "warn", PORT: "0" }
    await Process.runJsonCommand(cwd, ["migrate"], env)
    const database = new DatabaseSync(join(cwd, "new.db"))
    database.exec("INSERT INTO partner_commentary_migrations (migration_id, name) VALUES (9000, 'later')")
    database.close()
    const sentence = /^DATABASE_URL points at \.\/new\.db: The database was written by a newer version[^\n]+\.$/m
    for (const args of [["serve"], ["worker", "--json"], ["migrate"], ["org", "list"]]) {
      const outcome = await Process.runCommand(cwd, args, { ...env, PUBLIC_URL: "http://localhost:1" })
      expect(outcome).toMatchObject({ code: 1, stdout: "" })
      expect(outcome.stderr).toMatch(sentence)
      expect(outcome.stderr.split("\n")).toHaveLength(2)
    }
    const doctor = await Process.runCommand(cwd, ["doctor"], env)
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toContain("DATABASE_URL points at ./new.db: The database was written by a newer version")
  })
})
