/** Runs the command line: selects the command, prints help, and converts failures to exit codes. */
import { ApiError, PartnerCommentaryError } from "../Errors.ts"
import { clientVersion } from "../Version.ts"
import {
  alignColumns,
  type FlagDefinitions,
  formatFlagRows,
  type ParsedArguments,
  parseArguments
} from "./Arguments.ts"
import { listenCommandFlags, runListenCommand } from "./Listen.ts"
import { type CommandContext, CommandFailed, UsageError } from "./Terminal.ts"
import { runTriggerCommand, triggerableEventTypes, triggerCommandFlags } from "./Trigger.ts"

const program = "partner-commentary-client"

interface Command {
  readonly usage: string
  readonly description: string
  readonly flags: FlagDefinitions
  /** The number of words that follow the command. */
  readonly words: number
  readonly run: (parsed: ParsedArguments, terminal: CommandContext) => Promise<void>
}

const commands: Readonly<Record<string, Command>> = {
  listen: {
    usage: "listen --forward-to URL",
    description: "Forward new events of a test key to your receiver, signed like webhooks.",
    flags: listenCommandFlags,
    words: 0,
    run: runListenCommand
  },
  trigger: {
    usage: "trigger EVENT",
    description: `Run a topic in the test environment until the event happens: ${triggerableEventTypes.join(", ")}.`,
    flags: triggerCommandFlags,
    words: 1,
    run: runTriggerCommand
  }
}

const help = `Usage: ${program} COMMAND

${alignColumns(Object.values(commands).map(({ description, usage }) => [usage, description]))}

${program} COMMAND --help lists the command's flags.`

const helpOf = ({ description, flags, usage }: Command) =>
  `Usage: ${program} ${usage} [FLAGS]\n\n${description}\n\n${alignColumns(formatFlagRows(flags))}`

const execute = async ([name, ...rest]: ReadonlyArray<string>, terminal: CommandContext): Promise<void> => {
  const { out } = terminal
  if (name === "--help" || name === "-h") return out(help)
  if (name === "--version") return out(clientVersion)
  if (name === undefined) throw new UsageError(`Name a command: ${Object.keys(commands).join(" or ")}.`)
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) throw new UsageError(`There is no command ${JSON.stringify(name)}.`)
  if (rest.includes("--help") || rest.includes("-h")) return out(helpOf(command))
  return command.run(parseArguments(rest, command.flags, command.words), terminal)
}

const sentence = (error: unknown): string => {
  if (error instanceof ApiError)
    return `The service refused: ${error.message} (${error.code}, request ${error.requestId})`
  if (error instanceof PartnerCommentaryError || error instanceof CommandFailed) return error.message
  return `Unexpected error: ${error instanceof Error ? error.message : String(error)}`
}

/** Runs a command and returns the exit code: 0 after success or a stop, 1 after a failure, 2 for wrong usage. */
export const runProgram = async (args: ReadonlyArray<string>, terminal: CommandContext): Promise<0 | 1 | 2> => {
  try {
    await execute(args, terminal)
    return 0
  } catch (error) {
    if (terminal.signal.aborted) return 0
    if (!(error instanceof UsageError)) {
      terminal.say(sentence(error))
      return 1
    }
    const [name = ""] = args
    terminal.say(`${error.message} See ${program}${Object.hasOwn(commands, name) ? ` ${name}` : ""} --help.`)
    return 2
  }
}
