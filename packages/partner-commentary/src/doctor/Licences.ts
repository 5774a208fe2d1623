/** Checks for licences that end soon, and for licensed personas without a creator's mail address. */
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import { isLicenseActive } from "@partner-commentary/core/persona/License"
import { PersonaRegistry } from "@partner-commentary/core/persona/PersonaRegistry"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { DoctorAdvice } from "./Advice.ts"
import { type DoctorFinding, makeMendFinding, makeNoticeFinding, makeOkFinding } from "./Finding.ts"

const soon = { duration: Duration.days(7), text: "7 days" }

export const diagnoseLicences = Effect.fnUntraced(function* (advice: DoctorAdvice) {
  const now = yield* Instant.now
  const registry = yield* PersonaRegistry
  const organizations = yield* (yield* OrganizationRegistry).list
  const active = yield* Effect.forEach(organizations, (organization) =>
    Effect.map(registry.licenses(organization.id), (licenses) =>
      licenses.filter((license) => isLicenseActive(license, now)).map((license) => ({ ...license, organization }))
    )
  ).pipe(Effect.map((lists) => lists.flat()))
  const licensed = new Set(active.map(({ personaId }) => personaId))
  const silent = (yield* registry.list).filter(({ creator, id }) => creator.email === "" && licensed.has(id))
  const ending = active.filter(({ until }) => until !== null && until < Instant.plus(now, soon.duration))
  const about = (check: DoctorFinding["check"], found: ReadonlyArray<DoctorFinding>, good: string) =>
    found.length > 0 ? found : [makeOkFinding(check, good)]
  return [
    ...about(
      "personas",
      silent.map(({ id, name }) =>
        makeMendFinding("personas", `${name} has no creator address: ${advice.creatorEmail(id)}.`)
      ),
      "Each licensed persona has a creator address."
    ),
    ...about(
      "licences",
      ending.map(({ organization, personaName, until }) =>
        makeNoticeFinding(
          "licences",
          `${organization.name}'s licence for ${personaName} ends at ${Instant.toIso(until ?? now)}.`
        )
      ),
      `None ends within ${soon.text}.`
    )
  ]
})
