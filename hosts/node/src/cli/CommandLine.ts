/**
 * Runs the command that the arguments select. Results go to stdout and all other output to stderr. The exit code is 0,
 * 1 or 2.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { formatErrorWithCauses } from "@partner-commentary/core/shared/Reason"
import { booleanParser } from "@partner-commentary/settings/Parser"
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { isSqlError } from "effect/sql/SqlError"
import { productVersion } from "../Version.ts"

const exitCodes = { done: 0, failed: 1, wrongUsage: 2, interrupted: 130 }

type Root<Name extends string, Input, E, Context> = Command.Command<Name, Input, Context, E, Command.Environment>

/** Runs the process: reads the arguments, handles stop signals and exits at the end. */
export const runAndExit = <Name extends string, Input, E, Context>(root: Root<Name, Input, E, Context>): void => {
  const fiber = Effect.runFork(execute(root, process.argv.slice(2)))
  const stop = () => fiber.interruptUnsafe()
  process.on("SIGINT", stop).on("SIGTERM", stop)
  // An error on stdout means that the reader of stdout, such as `head`, has closed the pipe.
  process.stdout.on("error", () => process.exit(exitCodes.done))
  fiber.addObserver((exit) => end(printFailureAndGetExitCode(exit)))
}

/**
 * Runs the command like `runAndExit`, but does not exit the process. Pass the result of `execute` to
 * `printFailureAndGetExitCode`.
 */
export const execute = <Name extends string, Input, E, Context>(
  root: Root<Name, Input, E, Context>,
  args: ReadonlyArray<string>
) =>
  Command.runWith(root, { version: productVersion })(args).pipe(
    Effect.provide(Layer.mergeAll(NodeServices.layer, flags, presenter))
  )

/** Exits the process after stdout and stderr are flushed. */
const end = (code: number) => process.stdout.write("", () => process.stderr.write("", () => process.exit(code)))

const flags = CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })

/** Prints the failure on stderr, and returns the exit code. */
export const printFailureAndGetExitCode = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return exitCodes.done
  // A stop signal interrupts a service as intended, so print no failure.
  if (Cause.hasInterruptsOnly(exit.cause)) return Number(process.exitCode ?? exitCodes.interrupted)
  const failure = Cause.squash(exit.cause)
  if (Predicate.isTagged(failure, "ShowHelp")) return exitCodes.wrongUsage
  say(asLogged(describeFailure(failure)))
  return Predicate.isTagged(failure, "UsageError") ? exitCodes.wrongUsage : exitCodes.failed
}

/**
 * Returns a sentence about the failure. The message of a failure with a `_tag` is already a sentence. A failure without
 * a `_tag` is unexpected.
 */
export const describeFailure = (failure: unknown): string => {
  if (isSqlError(failure))
    return `The database that DATABASE_URL names cannot be used: ${formatErrorWithCauses(failure)}.`
  const message = failure instanceof Error ? failure.message : String(failure)
  return Predicate.hasProperty(failure, "_tag") ? message : `Unexpected error: ${message}`
}

/**
 * With JSON logs, the failure is also printed as a JSON log line. The function reads the environment directly, because
 * the settings may be invalid.
 */
const asLogged = (message: string): string =>
  process.env["LOG_FORMAT"]?.trim().toLowerCase() === "json"
    ? JSON.stringify({ message, level: "FATAL", timestamp: new Date().toISOString() })
    : message

const say = (text: string) => process.stderr.write(`${text}\n`)

const presenter = CliOutput.layerPresenter({
  present: Effect.fnUntraced(function* (event) {
    const formatter = yield* CliOutput.Formatter
    if (event._tag === "Version") process.stdout.write(`${event.version}\n`)
    else if (event._tag === "InvalidInvocation") {
      say(event.errors.map(wrongUsage).join("\n"))
      say(`See ${event.commandPath.join(" ")} --help.`)
    } else {
      const text = `${formatter.formatHelpDoc(event.helpDoc)}\n`
      if (event.reason === "Requested") process.stdout.write(text)
      else {
        process.stderr.write(text)
        say(`Say which command of ${event.commandPath.join(" ")} you mean.`)
      }
    }
  })
})

const wrongUsage = (error: CliError.NonShowHelpErrors): string => {
  switch (error._tag) {
    case "InvalidValue":
      return `${parameter(error)} must be ${describeExpectedValue(error)}, which ${JSON.stringify(error.value)} is not.`
    case "MissingOption":
      return `--${error.option} is missing.`
    case "MissingArgument":
      return `The argument ${error.argument} is missing.`
    case "UnrecognizedOption":
      return `There is no flag ${error.option}${formatSuggestions(error.suggestions)}`
    case "UnknownSubcommand":
      return `There is no command ${error.subcommand}${formatSuggestions(error.suggestions)}`
    case "UnexpectedArgument":
      return `Unexpected argument: ${error.arguments.map((value) => JSON.stringify(value)).join(", ")}.`
    default:
      return error.message.replace(/\s+/g, " ")
  }
}

const parameter = (error: CliError.InvalidValue) => (error.kind === "argument" ? error.option : `--${error.option}`)

/**
 * Returns the rule that a valid value of the flag or argument follows. Effect parses boolean flags itself, so the rule
 * of boolean flags comes from `booleanParser`.
 */
const describeExpectedValue = ({ expected }: CliError.InvalidValue) =>
  /^Expected .*"true"/.test(expected) ? booleanParser.rule : expected.replace(/^Expected:? /, "")

const formatSuggestions = (suggestions: ReadonlyArray<string>) =>
  suggestions.length === 0 ? "." : `; did you mean ${suggestions.join(" or ")}?`
