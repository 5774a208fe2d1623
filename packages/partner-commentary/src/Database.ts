/**
 * Defines the type of the option `database`: a layer with all stores, their SQL client, and the signals between
 * processes.
 */
import type { AccessChanges } from "@partner-commentary/core/access/AccessChanges"
import type { RateWindows } from "@partner-commentary/core/access/RateWindows"
import type { WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import type * as Stores from "@partner-commentary/sql/Stores"
import type * as Layer from "effect/Layer"
import type * as SqlClient from "effect/sql/SqlClient"

export type StoreServices =
  | Layer.Success<typeof Stores.layer>
  | AccessChanges
  | RateWindows
  | SqlClient.SqlClient
  | WorkSignal

/**
 * The value that `sqlite` and `postgres` return. An Effect application can pass a layer that contains its own SQL
 * client.
 */
export type Database = Layer.Layer<StoreServices, unknown>
