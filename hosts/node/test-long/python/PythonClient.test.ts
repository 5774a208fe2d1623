/** Runs the Python client's tests against a running service, and checks the client's types with mypy. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import * as Process from "../../test/support/Process.ts"

const python = "/usr/bin/python3"
const folder = join(import.meta.dirname, "..", "..", "..", "..", "clients", "python")

/** Runs a command. Resolves with the command's output, and rejects with the output if the command fails. */
const run = async (args: ReadonlyArray<string>, env: Record<string, string> = {}): Promise<string> => {
  const options = { cwd: folder, env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...env } }
  try {
    return (await promisify(execFile)(python, [...args], options)).stdout
  } catch (error) {
    const {
      message,
      stderr = "",
      stdout = ""
    } = error as Error & { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`${message}\n${stdout}${stderr}`)
  }
}

/**
 * The reason why the tests cannot run on this machine, or undefined if all Python packages are installed. `.ci/run`
 * requires the packages.
 */
const obstacle = await run(["-c", "import anyio, httpx, pytest, mypy"]).then(
  () => undefined,
  () => "these tests need Debian's python3-anyio, python3-httpx, python3-pytest and python3-mypy"
)
const isRequired = process.env["PYTHON_CLIENT"] === "required"

it("the Python packages are installed if PYTHON_CLIENT is `required`", () => {
  expect(isRequired ? obstacle : undefined).toBeUndefined()
})

it("the Python client's tests pass with a running service", async (test) => {
  test.skip(obstacle !== undefined, obstacle)
  const cwd = await Process.makeWorkingFolder(test)
  const { apiRoot } = await Process.startServiceProcess(cwd, ["serve"], { WEBHOOK_ALLOW_PRIVATE: "true" })
  const { id } = await Process.runJsonCommand(cwd, ["org", "create", "--name", "Courtside"])
  const scopes = "personas:read,topics:submit,topics:read,usage:read"
  const words = ["--org", id, "--name", "python", "--scopes", scopes, "--environment", "test"]
  const { full_key } = await Process.runJsonCommand(cwd, ["key", "create", ...words])
  const { token } = await Process.runJsonCommand(cwd, ["token", "create", "--org", id])
  const report = await run(["-m", "pytest", "-p", "no:cacheprovider", "-rs"], {
    API_ROOT: apiRoot,
    API_KEY: full_key,
    TOKEN: token
  })
  expect(report).toMatch(/ \d+ passed in /)
  expect(report).not.toMatch(/skipped/)
})

it("the Python client and the client's tests type-check in strict mode", async (test) => {
  test.skip(obstacle !== undefined, obstacle)
  const cache = await Process.makeWorkingFolder(test)
  expect(await run(["-m", "mypy", "--cache-dir", cache, "src", "tests"])).toMatch(/^Success: no issues found/)
})
