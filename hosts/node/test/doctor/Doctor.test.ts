/** Tests the doctor's reports on a service with faults in its settings, mails, drafts and deliveries. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import * as Partner from "../support/Partner.ts"
import * as Process from "../support/Process.ts"

/**
 * Prepares a stopped service with the given number of open requests. Tests may change the rows of the requests to
 * creators while the service is stopped.
 */
const stopped = async (cwd: string, requests: number) => {
  const server = await Process.startService(cwd, ["serve", "--no-worker"])
  const { key, persona } = Partner.readDemoCredentials(server)
  const shareIds: Array<string> = []
  for (let number = 0; number < requests; number++) {
    shareIds.push(await Partner.submitTopic(server.apiRoot, key, persona.id))
  }
  await server.stop()
  return shareIds
}

const change = (cwd: string, sql: string) => {
  const database = new DatabaseSync(join(cwd, "data", "partner-commentary.db"))
  database.exec(sql)
  database.close()
}

const later = "'2999-01-01T00:00:00.000Z'"
const stall = (attempts: number, nextAt: string) => `UPDATE assignments SET status = 'opinion_injected',
  generation_attempts = ${attempts}, generation_next_at = ${nextAt}, due_at = ${later}, generation_give_up_at = ${later}`

const findings = async (cwd: string) => {
  const { code, stdout } = await Process.runCommand(cwd, ["doctor", "--json"])
  const found = JSON.parse(stdout).findings as ReadonlyArray<{ check: string; state: string; message: string }>
  return { code, about: (check: string) => found.find((finding) => finding.check === check) }
}

describe("the `doctor` command", () => {
  it("`doctor` reports PROCESSES above 1 on SQLite as a problem, because `serve` would refuse to start", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    await Process.runCommand(cwd, ["migrate"])
    const { code, stdout } = await Process.runCommand(cwd, ["doctor"], { PROCESSES: "2" })
    expect(code).toBe(1)
    expect(stdout).toMatch(/configuration +mend +PROCESSES must be 1 on SQLite, [^\n]+: serve does not start\./)
  })

  it("`doctor` reports a WORKER_LEASE that is not longer than the longest attempt at a draft or at audio", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    await Process.runCommand(cwd, ["migrate"])
    const configuration = async (lease: string, env: Process.EnvironmentVariables) => {
      const { stdout } = await Process.runCommand(cwd, ["doctor", "--json"], { WORKER_LEASE: lease, ...env })
      const found = JSON.parse(stdout).findings as ReadonlyArray<{ check: string; state: string; message: string }>
      return found.filter(({ check }) => check === "configuration").map(({ message, state }) => [state, message])
    }
    const good = [["ok", "Good, for development."]]
    const drafts = { GENERATOR_URL: "http://127.0.0.1:9/v1", GENERATOR_MODEL: "any" }
    const audio = { SPEECH_URL: "http://127.0.0.1:9/v1", SPEECH_MODEL: "any", SPEECH_VOICE: "any" }
    const warning = (lease: string, what: string, longest: string) => [
      [
        "notice",
        `WORKER_LEASE is ${lease}, and an attempt at ${what} can take ${longest}: set a longer WORKER_LEASE, or slow attempts are repeated or lost.`
      ]
    ]
    expect(await configuration("1 second", {})).toEqual(good)
    expect(await configuration("45 seconds", drafts)).toEqual(warning("45s", "a draft", "45s"))
    expect(await configuration("46 seconds", drafts)).toEqual(good)
    expect(await configuration("85 seconds", { ...drafts, ...audio })).toEqual(warning("1m 25s", "audio", "1m 25s"))
    expect(await configuration("90 seconds", { ...drafts, ...audio })).toEqual(good)
  })

  it("`doctor` reports a generator's key without GENERATOR_URL", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    await Process.runCommand(cwd, ["migrate"])
    const { stdout } = await Process.runCommand(cwd, ["doctor"], { GENERATOR_API_KEY: "hunter2" })
    expect(stdout).toMatch(/configuration +notice +GENERATOR_API_KEY has no effect because GENERATOR_URL is unset/)
    expect(stdout).not.toContain("hunter2")
  })

  it("`doctor` counts all failed drafts, lists ten of these drafts, and suggests one command that restarts all failed drafts", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const shareIds = await stopped(cwd, 11)
    change(cwd, `${stall(5, "NULL")}; UPDATE mails SET due_at = ${later}`)
    const text = await Process.runCommand(cwd, ["doctor"])
    expect(text).toMatchObject({ code: 1, stderr: "There is one problem.\n" })
    expect(text.stdout).toContain(
      "11 generations finally failed: fix the generator, then run partner-commentary retry --all;"
    )
    expect(shareIds.filter((id) => text.stdout.includes(id))).toHaveLength(10)
    const [late] = shareIds
    change(cwd, `UPDATE assignments SET generation_give_up_at = '2020-01-01T00:00:00.000Z' WHERE id = '${late}'`)
    const partly = await Process.runCommand(cwd, ["retry", "--all", "--json"])
    expect(partly.code).toBe(1)
    expect(partly.stderr).toMatch(/^1 of 11 could not be restarted. The first reason: [^\n]+ too late [^\n]+\.\n$/)
    const answers = JSON.parse(partly.stdout)
    expect(answers).toHaveLength(11)
    expect(answers.filter(({ status }: { status?: string }) => status === "opinion_injected")).toHaveLength(10)
    expect(answers).toContainEqual({ share_id: late, error: expect.stringContaining("too late") })
    change(cwd, `UPDATE assignments SET due_at = NULL WHERE id = '${late}'`)
    expect(await Process.runJsonCommand(cwd, ["retry", "--all"])).toEqual([])
  })

  it("`doctor` counts the mails that finally failed, and suggests the command that sends these mails again", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    await stopped(cwd, 2)
    change(
      cwd,
      `UPDATE mails SET state = 'failed', reason = 'There is no such user.',
        settled_at = '2026-01-0' || (1 + (SELECT COUNT(*) FROM mails AS earlier WHERE earlier.id < mails.id)) || 'T00:00:00.000Z'`
    )
    const { about, code } = await findings(cwd)
    expect(code).toBe(1)
    expect(about("mails")).toMatchObject({
      count: 2,
      message:
        "2 mails finally failed, the last one because of: There is no such user; " +
        "fix the cause, then run partner-commentary mail resend --all --since 2026-01-01T00:00:00.000Z."
    })
    const { resent } = await Process.runJsonCommand(cwd, [
      "mail",
      "resend",
      "--all",
      "--since",
      "2026-01-01T00:00:00.000Z"
    ])
    expect(resent).toBe(2)
    expect((await findings(cwd)).about("mails")).toMatchObject({ state: "ok" })
  })

  it("`doctor` exits with code 1 if failed mails or drafts wait for a retry, and prints the last failure's reason", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    await stopped(cwd, 2)
    const now = new Date().toISOString()
    const wait = (since: string) => `UPDATE mails SET attempts = 2, created_at = '${since}', was_due_at = '${now}',
      due_at = ${later}, reason = 'Nobody answered.'`
    change(cwd, `${wait(now)}; ${stall(1, later)}`)
    const fresh = await findings(cwd)
    expect(fresh.code).toBe(1)
    expect(fresh.about("waiting mails")).toMatchObject({ state: "mend", count: 2 })
    expect(fresh.about("waiting mails")?.message).toBe(
      `2 mails failed and wait, since ${now} at the earliest; the last reason: Nobody answered.`
    )
    expect(fresh.about("waiting drafts")).toMatchObject({ state: "mend", count: 2 })
    expect((await Process.runCommand(cwd, ["doctor"])).stderr).toBe("There are 2 problems.\n")
    change(cwd, `${wait("2026-01-01T00:00:00.000Z")}; ${stall(3, later)}`)
    const stale = await findings(cwd)
    expect(stale.code).toBe(1)
    expect(stale.about("waiting mails")?.state).toBe("mend")
    expect(stale.about("waiting drafts")).toMatchObject({
      state: "mend",
      message: expect.stringContaining("3 attempts")
    })
  })

  it("`doctor` reports an event that has been due for a long time if its webhook is active, but not if the webhook is paused", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    await stopped(cwd, 0)
    change(
      cwd,
      `INSERT INTO webhooks (id, organization_id, environment, url, events, encrypted_secret, status, consecutive_failures, created_at, updated_at)
        SELECT '019c0e1b-7c4e-7000-8000-2f6d1c9e4b10', id, 'live', 'https://example.com/', '["creator.approved"]', '', 'active', 0,
          '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' FROM organizations LIMIT 1;
      INSERT INTO deliveries (webhook_id, event_id, due_at)
        VALUES ('019c0e1b-7c4e-7000-8000-2f6d1c9e4b10', '019c0e5f-03aa-7001-8000-94d0b7f3a6e2', '2026-01-01T00:00:00.000Z')`
    )
    expect((await findings(cwd)).about("deliveries")).toMatchObject({
      state: "notice",
      message: expect.stringContaining("no worker runs, or its receiver is slower")
    })
    change(cwd, "UPDATE webhooks SET status = 'paused'")
    expect((await findings(cwd)).about("deliveries")).toMatchObject({ state: "ok" })
  })

  it("`doctor` shows the mail server, the generator and the base URL of links, but no secret", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const env = {
      ...{ DATABASE_URL: "sqlite:./x.db", SIGNING_SECRET: "hunter2-and-a-text-that-is-long-enough" },
      ...{ SMTP_URL: "smtp://desk:hunter2@127.0.0.1:9", MAIL_FROM: "desk@example.com" },
      ...{ GENERATOR_URL: "http://127.0.0.1:9/v1", GENERATOR_MODEL: "writer", GENERATOR_API_KEY: "hunter2" }
    }
    await Process.runJsonCommand(cwd, ["migrate"], env)
    const { code, stdout } = await Process.runCommand(cwd, ["doctor"], env)
    expect(code).toBe(1)
    expect(stdout).toContain("PUBLIC_URL is unset: links in mails start with http://127.0.0.1:8080")
    expect(stdout).toContain("127.0.0.1 port 9")
    expect(stdout).toContain("writer at http://127.0.0.1:9/v1")
    expect(stdout).not.toContain("hunter2")
  })

  it("`doctor` reports a short signing secret at any position of the list of secrets", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const long = "a-text-that-is-long-enough-for-a-secret"
    await Process.runJsonCommand(cwd, ["migrate"])
    const about = async (secrets: string) => {
      const { stdout } = await Process.runCommand(cwd, ["doctor"], { SIGNING_SECRET: secrets })
      return stdout
    }
    for (const weak of [`${long},short`, `short,${long}`]) {
      expect(await about(weak)).toContain("SIGNING_SECRET has an entry of less than 32 characters")
    }
    expect(await about(`${long},${long}-too`)).not.toContain("SIGNING_SECRET")
  })

  it("`doctor` and `serve` warn about a misspelt variable", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const env = { GENERATOR_ULR: "https://llm.example/v1" }
    const warning = "GENERATOR_ULR is ignored: did you mean GENERATOR_URL?"
    const { stderr } = await Process.startService(cwd, ["serve", "--no-worker"], env)
    expect(stderr().split(warning)).toHaveLength(2)
    expect((await Process.runJsonCommand(cwd, ["doctor"], env)).findings).toContainEqual({
      check: "configuration",
      state: "notice",
      message: warning
    })
  })
})
