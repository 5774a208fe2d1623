/** Reads events, deliveries and attempts from the database file after a run. */
import { DatabaseSync } from "node:sqlite"

export interface LoggedAttempt {
  readonly webhook_id: string
  readonly event_id: string
  readonly claim_number: number
  readonly started_at: string
  readonly duration: number
  readonly status: number | null
  readonly failure: string | null
}

export interface StoredDelivery {
  readonly webhook_id: string
  readonly event_id: string
  readonly state: string
  readonly claim_number: number
}

export interface DeliveryLedger {
  readonly integrity: string
  readonly events: ReadonlyArray<{ readonly id: string; readonly share_id: string; readonly payload: string }>
  readonly deliveries: ReadonlyArray<StoredDelivery>
  readonly attempts: ReadonlyArray<LoggedAttempt>
  readonly webhooks: ReadonlyArray<{ readonly status: string; readonly consecutive_failures: number }>
}

const reading = <A>(file: string, read: (rows: <R>(sql: string) => Array<R>) => A): A => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  try {
    return read(<R>(sql: string) => database.prepare(sql).all() as Array<R>)
  } finally {
    database.close()
  }
}

export const readStoredDeliveries = (file: string): DeliveryLedger =>
  reading(file, (rows) => ({
    integrity: rows<{ readonly integrity_check: string }>("PRAGMA integrity_check")[0]?.integrity_check ?? "",
    // The webhooks of the run do not subscribe to the event type `topic.completed`.
    events: rows("SELECT id, share_id, payload FROM events WHERE type <> 'topic.completed' ORDER BY id"),
    deliveries: rows("SELECT webhook_id, event_id, state, claim_number FROM deliveries"),
    attempts: rows("SELECT * FROM delivery_attempts ORDER BY started_at"),
    webhooks: rows("SELECT status, consecutive_failures FROM webhooks")
  }))

/** Counts delivered and waiting deliveries while the service runs. */
export const countDeliveries = (file: string): { readonly delivered: number; readonly waiting: number } =>
  reading(
    file,
    (rows) =>
      rows<{ readonly delivered: number; readonly waiting: number }>(
        `SELECT COUNT(*) FILTER (WHERE state = 'delivered') AS delivered,
          COUNT(*) FILTER (WHERE state = 'pending') AS waiting FROM deliveries`
      )[0] ?? { delivered: 0, waiting: 0 }
  )
