/**
 * Defines the flags that all commands have in common, and creates the client from these flags or from environment
 * variables.
 */
import { PartnerCommentary } from "../PartnerCommentary.ts"
import type { FlagDefinitions, ParsedArguments } from "./Arguments.ts"
import { type CommandContext, UsageError } from "./Terminal.ts"

export const commonFlags = {
  "api-key": { value: "KEY", description: "The API key. Prefer the variable PARTNER_COMMENTARY_API_KEY" },
  "base-url": { value: "URL", description: "The service's address. Default: PARTNER_COMMENTARY_BASE_URL" },
  "print-json": { description: "Print one JSON value per line on stdout, and nothing else" },
  help: { description: "Print this help" }
} satisfies FlagDefinitions

const readRequiredOption = (
  { flags }: ParsedArguments,
  { environment }: CommandContext,
  flag: "api-key" | "base-url",
  variable: string
): string => {
  const value = flags.get(flag) ?? environment[variable]
  if (value) return value
  throw new UsageError(`${variable} is missing: set it, or pass --${flag}.`)
}

export interface CommandLineClient {
  readonly client: PartnerCommentary
  readonly isTest: boolean
}

export const makeClientFromArguments = (parsed: ParsedArguments, terminal: CommandContext): CommandLineClient => {
  const apiKey = readRequiredOption(parsed, terminal, "api-key", "PARTNER_COMMENTARY_API_KEY")
  const baseUrl = readRequiredOption(parsed, terminal, "base-url", "PARTNER_COMMENTARY_BASE_URL")
  if (!/^pk_(test|live)_\w+$/.test(apiKey)) throw new UsageError("The key must begin with pk_test_ or pk_live_.")
  return { client: clientOf(apiKey, baseUrl, terminal), isTest: apiKey.startsWith("pk_test_") }
}

const clientOf = (apiKey: string, baseUrl: string, { fetch }: CommandContext): PartnerCommentary => {
  try {
    return new PartnerCommentary({ apiKey, baseUrl, fetch })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
