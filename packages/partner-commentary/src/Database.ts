/** A database as the option takes it: every store on one SQL client, and what the processes on it share. */
import type { AccessChanges } from "@partner-commentary/core/access/AccessChanges"
import type { RateWindows } from "@partner-commentary/core/access/RateWindows"
import type { WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import type * as Stores from "@partner-commentary/sql/Stores"
import type * as Layer from "effect/Layer"
import type * as SqlClient from "effect/sql/SqlClient"

export type Stored = Layer.Success<typeof Stores.layer> | AccessChanges | RateWindows | SqlClient.SqlClient | WorkSignal

/** What `sqlite` and `postgres` make. An Effect application may give such a layer on a client of its own. */
export type Database = Layer.Layer<Stored, unknown>
