/** The owner of a row: an organization in one environment. No query returns rows of another owner. */
import * as Schema from "effect/Schema"
import type { OrganizationId } from "./Ids.ts"

/** `test` sees test data only. */
export const Environment = Schema.Literals(["live", "test"])
export type Environment = typeof Environment.Type

export interface Owner {
  readonly organizationId: OrganizationId
  readonly environment: Environment
}
