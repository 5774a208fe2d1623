/**
 * Emulates the loop that AWS runs around a function, following the documented runtime API. The loop loads the module,
 * and then fetches one invocation at a time.
 */
import { join } from "node:path"

const { AWS_LAMBDA_RUNTIME_API: api, LAMBDA_TASK_ROOT: root = "", _HANDLER: place = "" } = process.env
const runtime = `http://${api}/2018-06-01/runtime`

const told = (error: unknown) => ({
  errorType: error instanceof Error ? error.name : typeof error,
  errorMessage: error instanceof Error ? error.message : String(error),
  stackTrace: error instanceof Error ? (error.stack ?? "").split("\n") : []
})

const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(`${runtime}${path}`, { method: "POST", headers, body: JSON.stringify(body) })
  await response.arrayBuffer()
}

const load = async () => {
  const [file, name = ""] = place.split(".")
  const module = await import(join(root, `${file}.mjs`))
  return module[name] as (event: unknown, context: unknown) => Promise<unknown>
}

const handler = await load().catch(async (error) => {
  await post("/init/error", told(error), { "lambda-runtime-function-error-type": "Runtime.UnknownReason" })
  process.exit(1)
})

for (;;) {
  const next = await fetch(`${runtime}/invocation/next`)
  const id = next.headers.get("lambda-runtime-aws-request-id") ?? ""
  const deadline = Number(next.headers.get("lambda-runtime-deadline-ms"))
  const event = await next.json()
  const context = { awsRequestId: id, getRemainingTimeInMillis: () => deadline - Date.now() }
  try {
    await post(`/invocation/${id}/response`, await handler(event, context))
  } catch (error) {
    await post(`/invocation/${id}/error`, told(error), { "lambda-runtime-function-error-type": told(error).errorType })
  }
}
