/** The tree of all commands. */
import * as Command from "effect/cli/Command"
import { backup } from "./commands/Backup.ts"
import { creators, retry } from "./commands/Creators.ts"
import { demo } from "./commands/Demo.ts"
import { doctor } from "./commands/Doctor.ts"
import { keys } from "./commands/Keys.ts"
import { licenses } from "./commands/Licenses.ts"
import { mails } from "./commands/Mails.ts"
import { migrate, purge } from "./commands/Maintenance.ts"
import { media } from "./commands/Media.ts"
import { metrics } from "./commands/Metrics.ts"
import { organizations } from "./commands/Organizations.ts"
import { personas } from "./commands/Personas.ts"
import { serve, worker } from "./commands/Service.ts"
import { tokens } from "./commands/Tokens.ts"
import { topics } from "./commands/Topics.ts"
import { webhooks } from "./commands/Webhooks.ts"
import { Json } from "./Output.ts"

export const program = Command.make("partner-commentary").pipe(
  Command.withDescription("Opinion commentary from licensed personas, for partners"),
  Command.withSubcommands([
    serve,
    worker,
    migrate,
    backup,
    demo,
    organizations,
    personas,
    licenses,
    keys,
    tokens,
    topics,
    retry,
    mails,
    creators,
    webhooks,
    media,
    doctor,
    purge,
    metrics
  ]),
  Command.withGlobalFlags([Json])
)
