/** Provides `pc.licenses`. A licence allows a partner to send topics to a persona until an end date. */
import { PersonaRegistry } from "@partner-commentary/core/persona/PersonaRegistry"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Licenses from "../administration/Licenses.ts"
import { type HostDate, HostDateSchema } from "../ports/Moment.ts"
import {
  failIfNotFound,
  makeDecoder,
  OrganizationIdInput,
  PersonaIdInput,
  type RunUseCase,
  readOrganizationAsCaller,
  type TransactionOption
} from "./UseCase.ts"

interface Licensed {
  readonly organization_id: string
  readonly persona_id: string
}

const licensed = { organization_id: OrganizationIdInput, persona_id: PersonaIdInput }
const granted = makeDecoder(Schema.Struct({ ...licensed, until: Schema.optional(Schema.NullOr(HostDateSchema)) }))
const named = makeDecoder(Schema.Struct(licensed))
const ofOrganization = makeDecoder(Schema.Struct({ organization_id: OrganizationIdInput }))

const toApiLicenseNow = <E, R>(change: Effect.Effect<Parameters<typeof Licenses.toApiLicense>[0], E, R>) =>
  Effect.flatMap(change, (license) => Effect.map(Instant.now, (now) => Licenses.toApiLicense(license, now)))

export const makeLicenseUseCases = (run: RunUseCase) => ({
  /**
   * Grants a licence. `until` is the first time at which the licence is no longer valid. Without `until`, the licence
   * has no end. A repeated grant of a licence changes the licence's end.
   */
  grant: (license: Licensed & { readonly until?: HostDate | string | null | undefined }, options?: TransactionOption) =>
    run(
      Effect.flatMap(granted(license), ({ organization_id, persona_id, until }) =>
        toApiLicenseNow(
          failIfNotFound("organization or persona")(Licenses.grant(organization_id, persona_id, until ?? null))
        )
      ),
      options
    ),

  /** Revokes a licence. New topics can no longer be sent to the persona, and running requests continue. */
  revoke: (license: Licensed, options?: TransactionOption) =>
    run(
      Effect.flatMap(named(license), ({ organization_id, persona_id }) =>
        toApiLicenseNow(failIfNotFound("licence")(Licenses.revoke(organization_id, persona_id)))
      ),
      options
    ),

  /** Lists licences, including licences that ended or were revoked. */
  list: (organization: { readonly organization_id: string }) =>
    run(
      Effect.gen(function* () {
        const owned = yield* ofOrganization(organization)
        yield* readOrganizationAsCaller(owned)
        const now = yield* Instant.now
        const all = yield* (yield* PersonaRegistry).licenses(owned.organization_id)
        return all.map((license) => ({ ...Licenses.toApiLicense(license, now), persona_name: license.personaName }))
      })
    )
})
