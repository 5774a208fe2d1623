/**
 * Stores the order in which events were committed. Event ids follow the clocks of processes, so a reader that follows
 * the ids would miss an event that is committed late.
 */

import * as Instant from "@partner-commentary/core/shared/Instant"
import { makeLowestEventId } from "@partner-commentary/core/webhook/Event"
import { calculateEarliestListedEventTime } from "@partner-commentary/core/webhook/EventHistory"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered, growing, large, oftenUpdated } from "./Dialect.ts"

export const createEventPositions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE event_positions (
    event_id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL,
    type TEXT NOT NULL,
    position ${large(sql)} NOT NULL
  ) ${clustered(sql)} ${growing(sql)}`
  yield* sql`CREATE INDEX event_positions_by_type ON event_positions (organization_id, environment, type, position, event_id)`

  yield* sql`CREATE TABLE last_event_positions (
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL,
    position ${large(sql)} NOT NULL,
    PRIMARY KEY (organization_id, environment)
  ) ${clustered(sql)} ${oftenUpdated(sql, 50)}`

  // Processes of older versions lock topics before events. This migration locks topics first, because the next
  // migration also needs the lock of topics.
  yield* sql.onDialectOrElse({ pg: () => sql`LOCK TABLE topics IN EXCLUSIVE MODE`, orElse: () => Effect.void })
  // The trigger is created before the events are numbered. The trigger's table lock blocks new events of older
  // processes until the migration ends.
  yield* sql.onDialectOrElse({ pg: () => onPostgres(sql), orElse: () => onSqlite(sql) })

  // Older events get no position, because lists no longer contain them.
  const first = makeLowestEventId(calculateEarliestListedEventTime(yield* Instant.now))
  yield* sql`INSERT INTO event_positions (event_id, organization_id, environment, type, position)
    SELECT id, organization_id, environment, type,
      ROW_NUMBER() OVER (PARTITION BY organization_id, environment ORDER BY id)
    FROM events WHERE id >= ${first}`
  yield* sql`INSERT INTO last_event_positions (organization_id, environment, position)
    SELECT organization_id, environment, MAX(position) FROM event_positions GROUP BY organization_id, environment`
})

/**
 * The trigger runs at the commit. The trigger locks the organization's row of `last_event_positions` until the commit
 * is done, so positions follow the order of commits. A trigger assigns the positions, because processes of the previous
 * version also write events during an upgrade. The trigger uses the search path of the migration, because the
 * transaction of a host can have another search path.
 */
const onPostgres = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql.unsafe(`CREATE FUNCTION number_event() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    DECLARE reached BIGINT;
    BEGIN
      INSERT INTO last_event_positions AS last VALUES (NEW.organization_id, NEW.environment, 1)
        ON CONFLICT (organization_id, environment) DO UPDATE SET position = last.position + 1
        RETURNING last.position INTO reached;
      INSERT INTO event_positions (event_id, organization_id, environment, type, position)
        VALUES (NEW.id, NEW.organization_id, NEW.environment, NEW.type, reached);
      RETURN NULL;
    END $$`)
  yield* sql.unsafe(`CREATE CONSTRAINT TRIGGER events_numbered AFTER INSERT ON events
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION number_event()`)
})

/** The SQLite trigger needs no lock, because SQLite allows only one writer at a time. */
const onSqlite = (sql: SqlClient.SqlClient) =>
  sql.unsafe(`CREATE TRIGGER events_numbered AFTER INSERT ON events BEGIN
    INSERT INTO last_event_positions (organization_id, environment, position)
      VALUES (NEW.organization_id, NEW.environment, 1)
      ON CONFLICT (organization_id, environment) DO UPDATE SET position = position + 1;
    INSERT INTO event_positions (event_id, organization_id, environment, type, position)
      SELECT NEW.id, NEW.organization_id, NEW.environment, NEW.type, position FROM last_event_positions
      WHERE organization_id = NEW.organization_id AND environment = NEW.environment;
  END`)
