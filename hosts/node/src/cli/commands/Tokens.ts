/**
 * Defines the commands `token …`, which create tokens of the local identity provider. With a local token, a developer
 * calls the API-key operations without a dashboard.
 */
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as ConfigSummary from "@partner-commentary/settings/ConfigSummary"
import * as Parser from "@partner-commentary/settings/Parser"
import * as Settings from "@partner-commentary/settings/Settings"
import * as Command from "effect/cli/Command"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Adapters from "../../app/Adapters.ts"
import * as Administration from "../Administration.ts"
import { CommandFailed } from "../CommandFailed.ts"
import { printResult } from "../Output.ts"
import * as Parameter from "../Parameter.ts"

const create = Command.make(
  "create",
  {
    organization: Parameter.declareRequiredFlag(
      "org",
      Parser.makeIdParser(OrganizationId),
      "ID",
      "The organization's id"
    ),
    expiresIn: Parameter.declareOptionalFlag(
      "expires-in",
      Parser.durationParser,
      "DURATION",
      'How long it is good, "1 hour" by default'
    )
  },
  Effect.fn(function* (wanted) {
    const settings = yield* Settings.readSettings
    if (!ConfigSummary.issuesDashboardTokens(settings)) {
      return yield* new CommandFailed({
        message: Option.match(settings.identity, {
          onNone: () =>
            "Tokens can be created only in development. In production, set JWKS_URL to the keys of your identity provider.",
          onSome: () => "JWKS_URL is set, so only your identity provider can issue tokens."
        })
      })
    }
    const { organization } = wanted
    if (Option.isNone(yield* (yield* OrganizationStore).find(organization))) {
      return yield* new CommandFailed({ message: `There is no organization ${organization}.` })
    }
    const { issue } = yield* Adapters.makeLocalTokenIssuer(settings)
    const token = yield* issue({ organization, expiresIn: Option.getOrElse(wanted.expiresIn, () => Duration.hours(1)) })
    yield* printResult({ json: () => ({ token }), text: () => [token] })
  }, Effect.provide(Administration.layer))
).pipe(Command.withDescription("Create a dashboard token, in development"))

export const tokenCommand = Command.make("token").pipe(
  Command.withDescription("Dashboard tokens"),
  Command.withSubcommands([create])
)
