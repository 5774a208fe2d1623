/** The entry point. */
import "effect/schema/SchemaJITCompiler/enable"
import * as CommandLine from "./CommandLine.ts"
import { program } from "./Program.ts"

CommandLine.run(program)
