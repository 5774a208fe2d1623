/**
 * What is counted with every change, so that nobody counts rows: how many topics of an organization stand where, and what its
 * requests of a day came to, by persona. One statement adds to any number of them; what each means is TopicTotals' and KeptFigures'.
 */
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type * as SqlClient from "effect/sql/SqlClient"
import { values } from "../database/Values.ts"

export interface Tally {
  /** `2026-01-30`; empty where no day is meant. */
  readonly day: string
  /** Empty where no persona is meant. */
  readonly persona_id: string
  readonly name: string
  readonly total: number
  /** The latest one; null leaves it as it is. */
  readonly persona_name: string | null
}

/** Adds to one tally at least. Their rows stay locked until the transaction ends: always in the same order. */
export const add = (
  sql: SqlClient.SqlClient,
  { environment, organizationId: organization_id }: Owner,
  more: ReadonlyArray<Tally>
) =>
  sql`INSERT INTO tallies AS kept ${values(
    sql,
    more.toSorted(inOrder).map((tally) => ({ organization_id, environment, ...tally }))
  )} ${whereKept(sql)}`

/** What becomes of a tally that is kept already, as `kept`. */
export const whereKept = (sql: SqlClient.SqlClient) =>
  sql.literal(`ON CONFLICT (organization_id, environment, day, persona_id, name) DO UPDATE SET
    total = kept.total + excluded.total, persona_name = COALESCE(excluded.persona_name, kept.persona_name)`)

const inOrder = (one: Tally, other: Tally): number => {
  const [first, second] = [keyOf(one), keyOf(other)]
  return first < second ? -1 : first > second ? 1 : 0
}

const keyOf = ({ day, name, persona_id }: Tally): string => `${day} ${persona_id} ${name}`
