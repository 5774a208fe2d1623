/** Defines the commands `license …`, which control which organization may use which persona, and until when. */

import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import { isLicenseActive } from "@partner-commentary/core/persona/License"
import { PersonaRegistry } from "@partner-commentary/core/persona/PersonaRegistry"
import { OrganizationId, PersonaId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Parser from "@partner-commentary/settings/Parser"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Licenses from "partner-commentary/administration/Licenses"
import * as Administration from "../Administration.ts"
import { CommandFailed } from "../CommandFailed.ts"
import { formatTable, printResult } from "../Output.ts"
import * as Parameter from "../Parameter.ts"

const organization = Parameter.declareRequiredFlag(
  "org",
  Parser.makeIdParser(OrganizationId),
  "ID",
  "The organization's id"
)
const persona = Parameter.declareRequiredFlag("persona", Parser.makeIdParser(PersonaId), "ID", "The persona's id")

const grant = Command.make(
  "grant",
  {
    organization,
    persona,
    until: Parameter.declareOptionalFlag(
      "until",
      Parser.timestampParser,
      "TIMESTAMP",
      "The time from which the licence is no longer valid"
    )
  },
  Effect.fn(function* (wanted) {
    const now = yield* Instant.now
    const granted = yield* Licenses.grant(wanted.organization, wanted.persona, Option.getOrNull(wanted.until))
    if (Option.isNone(granted)) {
      return yield* new CommandFailed({
        message: `There is no organization ${wanted.organization}, or no persona ${wanted.persona}.`
      })
    }
    const license = granted.value
    yield* printResult({
      json: () => Licenses.toApiLicense(license, now),
      text: () => [
        license.until === null
          ? "Granted the licence, without an end."
          : `Granted the licence until ${Instant.toIso(license.until)}.`,
        ...(isLicenseActive(license, now) ? [] : ["This time has passed, so the licence is not valid."])
      ]
    })
  }, Effect.provide(Administration.layer))
).pipe(Command.withDescription("License a persona to a partner, or change the end of a licence"))

const revoke = Command.make(
  "revoke",
  { organization, persona },
  Effect.fn(function* (wanted) {
    const now = yield* Instant.now
    const revoked = yield* Licenses.revoke(wanted.organization, wanted.persona)
    if (Option.isNone(revoked)) {
      return yield* new CommandFailed({
        message: `The organization ${wanted.organization} has no licence for the persona ${wanted.persona}.`
      })
    }
    yield* printResult({
      json: () => Licenses.toApiLicense(revoked.value, now),
      text: () => ["Revoked the licence: the partner can send no new topics to the persona. Open requests continue."]
    })
  }, Effect.provide(Administration.layer))
).pipe(Command.withDescription("Revoke a licence. Open requests continue"))

const list = Command.make(
  "list",
  { organization },
  Effect.fn(function* (wanted) {
    if (Option.isNone(yield* (yield* OrganizationStore).find(wanted.organization))) {
      return yield* new CommandFailed({ message: `There is no organization ${wanted.organization}.` })
    }
    const now = yield* Instant.now
    const licenses = yield* (yield* PersonaRegistry).licenses(wanted.organization)
    yield* printResult({
      json: () => licenses.map((one) => ({ ...Licenses.toApiLicense(one, now), persona_name: one.personaName })),
      text: () =>
        formatTable(
          ["persona", "name", "state", "until"],
          licenses.map((one) => [
            one.personaId,
            one.personaName,
            one.revokedAt !== null ? "revoked" : isLicenseActive(one, now) ? "active" : "ended",
            Instant.toIsoOrNull(one.until) ?? ""
          ]),
          `There are no licences yet. Next: partner-commentary license grant --org ${wanted.organization} --persona ID`
        )
    })
  }, Effect.provide(Administration.layer))
).pipe(Command.withDescription("List a partner's licences, including revoked and ended ones"))

export const licenseCommand = Command.make("license").pipe(
  Command.withDescription("Licences of partners for personas"),
  Command.withSubcommands([grant, revoke, list])
)
