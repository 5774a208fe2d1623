/** The owner of a row: an organization in one environment. No query returns rows of another owner. */
import * as Schema from "effect/Schema"
import type { OrganizationId } from "./Ids.ts"

/** The environment of the data. The environment `test` contains only test data. */
export const Environment = Schema.Literals(["live", "test"])
export type Environment = typeof Environment.Type

export interface Owner {
  readonly organizationId: OrganizationId
  readonly environment: Environment
}
