/**
 * Runs a change that an operator or the embedding application makes, and writes its audit entry in the same
 * transaction.
 */
import { AuditLog } from "@partner-commentary/core/shared/AuditLog"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import { Transaction } from "@partner-commentary/core/shared/Transaction"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"

export interface AuditEntryInput {
  readonly action: string
  readonly subject: string
  readonly organizationId: OrganizationId | null
  readonly details: Schema.JsonObject
}

/** Runs the change and writes its audit entry. If nothing changes, no audit entry is written. */
export const withAuditEntry = <A, E, R>(
  change: Effect.Effect<Option.Option<A>, E, R>,
  entry: (changed: A) => AuditEntryInput
) =>
  Effect.gen(function* () {
    const audit = yield* AuditLog
    const { run } = yield* Transaction
    const record = Option.match({
      onNone: () => Effect.void,
      onSome: (changed: A) => {
        const { details, ...rest } = entry(changed)
        return audit.record({ ...rest, details: { by: "operator", ...details } })
      }
    })
    return yield* run(Effect.tap(change, record))
  })
