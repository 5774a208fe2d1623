/** The entry point of the command line. */
import "effect/schema/SchemaJITCompiler/enable"
import * as CommandLine from "./cli/CommandLine.ts"
import { rootCommand } from "./cli/Program.ts"

CommandLine.runAndExit(rootCommand)
