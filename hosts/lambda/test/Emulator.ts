/**
 * Emulates Lambda on this machine. A server implements the documented runtime API over HTTP. Each container is a
 * separate process that runs the bundle. A container handles one invocation at a time.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { join } from "node:path"

export interface InvocationFailure {
  readonly errorType: string
  readonly errorMessage: string
}

/** The container's response to an event, or the failure of the invocation. */
export type InvocationOutcome = { readonly answer: unknown } | { readonly failure: InvocationFailure }

export interface LambdaContainer {
  readonly invoke: (event: unknown, milliseconds?: number) => Promise<InvocationOutcome>
  readonly stderr: () => string
  /** Returns true while the process runs. */
  readonly isAlive: () => boolean
  /** Suspends the container's process, as Lambda does between two invocations. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Resolves with the exit code, or with null if a signal ended the process. */
  readonly stop: (signal: NodeJS.Signals) => Promise<number | null>
}

interface Invocation {
  readonly id: string
  readonly event: unknown
  readonly deadline: number
  readonly resolve: (outcome: InvocationOutcome) => void
}

const bootstrap = join(import.meta.dirname, "Bootstrap.ts")

const read = async (request: IncomingMessage) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString("utf8"))
}

/** Implements the runtime API for one container. */
const runtimeApi = () => {
  const waiting: Array<Invocation> = []
  const given = new Map<string, Invocation>()
  let asking: ServerResponse | undefined
  /** The reason why the container has stopped running. */
  let over: InvocationFailure | undefined

  const end = (failure: InvocationFailure) => {
    over ??= failure
    for (const { resolve } of [...waiting.splice(0), ...given.values()]) resolve({ failure: over })
  }

  const give = () => {
    const [next] = waiting
    if (asking === undefined || next === undefined) return
    waiting.shift()
    given.set(next.id, next)
    asking
      .writeHead(200, {
        "content-type": "application/json",
        "lambda-runtime-aws-request-id": next.id,
        "lambda-runtime-deadline-ms": String(next.deadline),
        "lambda-runtime-invoked-function-arn": "arn:aws:lambda:us-east-1:123456789012:function:partner-commentary"
      })
      .end(JSON.stringify(next.event))
    asking = undefined
  }

  const server = createServer(async (request, response) => {
    const [, id = "", what] =
      /^\/2018-06-01\/runtime\/invocation\/(?:next|([\w-]+)\/(response|error))$/.exec(request.url ?? "") ?? []
    if (request.method === "GET" && request.url === "/2018-06-01/runtime/invocation/next") {
      asking = response
      return give()
    }
    const body = await read(request)
    if (request.url === "/2018-06-01/runtime/init/error") end(body)
    const invocation = given.get(id)
    given.delete(id)
    response.writeHead(202, { "content-type": "application/json" }).end('{"status":"OK"}')
    // Wait for the next turn of the event loop, so that earlier log output of the container has arrived.
    setImmediate(() => invocation?.resolve(what === "response" ? { answer: body } : { failure: body }))
  })

  return {
    server,
    end,
    invoke: (event: unknown, milliseconds: number) =>
      new Promise<InvocationOutcome>((resolve) => {
        if (over !== undefined) return resolve({ failure: over })
        waiting.push({ id: randomUUID(), event, deadline: Date.now() + milliseconds, resolve })
        give()
      })
  }
}

/** Starts a container with the bundle in the folder, and stops the container after the test. */
export const startContainer = async (
  bundle: string,
  env: Readonly<Record<string, string>>,
  test: { readonly onTestFinished: (cleanUp: () => Promise<void>) => void }
): Promise<LambdaContainer> => {
  const { end, invoke, server } = runtimeApi()
  // A frozen container keeps its connection, as on Lambda.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const child: ChildProcess = spawn(process.execPath, [bootstrap], {
    cwd: "/",
    env: {
      PATH: process.env["PATH"],
      AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`,
      LAMBDA_TASK_ROOT: bundle,
      _HANDLER: "index.handler",
      ...env
    },
    stdio: ["ignore", "ignore", "pipe"]
  })
  let stderr = ""
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    stderr += text
  })
  const ended = new Promise<number | null>((resolve) =>
    child.once("exit", (code) => {
      end({ errorType: "Runtime.ExitError", errorMessage: `the container ended with ${code}: ${stderr}` })
      resolve(code)
    })
  )
  const stop = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  test.onTestFinished(async () => {
    await stop("SIGKILL")
    server.closeAllConnections()
    server.close()
  })
  return {
    invoke: (event, milliseconds = 30_000) => invoke(event, milliseconds),
    stderr: () => stderr,
    freeze: () => child.kill("SIGSTOP"),
    thaw: () => child.kill("SIGCONT"),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    stop
  }
}
