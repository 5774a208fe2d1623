/** Defines the tree of all commands. */
import * as Command from "effect/cli/Command"
import { backupCommand } from "./commands/Backup.ts"
import { creatorCommand, retryDraftCommand } from "./commands/Creators.ts"
import { demoCommand } from "./commands/Demo.ts"
import { doctorCommand } from "./commands/Doctor.ts"
import { keyCommand } from "./commands/Keys.ts"
import { licenseCommand } from "./commands/Licenses.ts"
import { mailCommand } from "./commands/Mails.ts"
import { migrateCommand, purgeCommand } from "./commands/Maintenance.ts"
import { commentaryMediaCommand } from "./commands/Media.ts"
import { metricsCommand } from "./commands/Metrics.ts"
import { organizationCommand } from "./commands/Organizations.ts"
import { personaCommand } from "./commands/Personas.ts"
import { serveCommand, workerCommand } from "./commands/Service.ts"
import { tokenCommand } from "./commands/Tokens.ts"
import { topicCommand } from "./commands/Topics.ts"
import { webhookCommand } from "./commands/Webhooks.ts"
import { JsonFlag } from "./Output.ts"

export const rootCommand = Command.make("partner-commentary").pipe(
  Command.withDescription("Opinion commentary from licensed personas, for partners"),
  Command.withSubcommands([
    serveCommand,
    workerCommand,
    migrateCommand,
    backupCommand,
    demoCommand,
    organizationCommand,
    personaCommand,
    licenseCommand,
    keyCommand,
    tokenCommand,
    topicCommand,
    retryDraftCommand,
    mailCommand,
    creatorCommand,
    webhookCommand,
    commentaryMediaCommand,
    doctorCommand,
    purgeCommand,
    metricsCommand
  ]),
  Command.withGlobalFlags([JsonFlag])
)
