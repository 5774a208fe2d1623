/** Stored responses of idempotent requests, and rate windows that nodes on Postgres share. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { queue, strict } from "./Dialect.ts"

export const requests = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A row without a response is a claim; no committed row is one.
  yield* sql`CREATE TABLE stored_responses (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    until_at TEXT NOT NULL,
    status INTEGER,
    location TEXT,
    body TEXT,
    is_encrypted INTEGER NOT NULL DEFAULT 0 CHECK (is_encrypted IN (0, 1)),
    CHECK ((status IS NULL) = (body IS NULL))
  ) ${strict(sql)} ${queue(sql)}`
  yield* sql`CREATE INDEX stored_responses_until ON stored_responses (until_at)`

  yield* sql.onDialectOrElse({ pg: () => rateWindows(sql), orElse: () => Effect.void })
})

/** Unlogged: a count waits for no disk, and a crash of the server resets all windows. */
const rateWindows = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  // Times are milliseconds. Free space in each page keeps updates out of the index.
  yield* sql`CREATE UNLOGGED TABLE rate_windows (
    name TEXT NOT NULL,
    seconds INTEGER NOT NULL,
    used INTEGER NOT NULL,
    ends_at BIGINT NOT NULL,
    PRIMARY KEY (name, seconds)
  ) WITH (fillfactor = 50)`
  yield* sql`CREATE INDEX rate_windows_ended ON rate_windows (ends_at)`
  yield* sql.unsafe(take)
})

/**
 * Counts calls, one after the other, each in all of its windows or in none. `names` and `lengths` are the windows, each once,
 * sorted to avoid deadlocks. Row by row, `calls`, `places` and `limits` say that a call counts in the window at that index,
 * with this limit. Returns, row by row, the window after the call.
 *
 * Clocks of nodes may differ by 10 seconds. A window that ends later than that was opened by a clock that was set back
 * since, and is over.
 */
const take = `CREATE FUNCTION take_rate_windows(
  present BIGINT, names TEXT[], lengths INTEGER[], calls INTEGER[], places INTEGER[], limits INTEGER[],
  OUT is_admitted INTEGER, OUT counted INTEGER, OUT until_at BIGINT
) RETURNS SETOF RECORD LANGUAGE plpgsql AS $$
DECLARE
  used_now INTEGER[] := array_fill(0, ARRAY[cardinality(names)]);
  ends_now BIGINT[] := array_fill(NULL::BIGINT, ARRAY[cardinality(names)]);
  changed BOOLEAN[] := array_fill(FALSE, ARRAY[cardinality(names)]);
  used_one INTEGER;
  ends_one BIGINT;
  counting INTEGER;
  first_row INTEGER := 1;
  last_row INTEGER;
BEGIN
  FOR place IN 1 .. cardinality(names) LOOP
    LOOP
      SELECT w.used, w.ends_at INTO used_one, ends_one FROM rate_windows w
        WHERE w.name = names[place] AND w.seconds = lengths[place] FOR UPDATE;
      EXIT WHEN FOUND;
      INSERT INTO rate_windows VALUES (names[place], lengths[place], 0, present) ON CONFLICT DO NOTHING;
    END LOOP;
    IF ends_one > present AND ends_one <= present + lengths[place] * 1000::BIGINT + 10000 THEN
      used_now[place] := used_one;
      ends_now[place] := ends_one;
    END IF;
  END LOOP;
  WHILE first_row <= cardinality(calls) LOOP
    last_row := first_row;
    is_admitted := 1;
    WHILE last_row <= cardinality(calls) AND calls[last_row] = calls[first_row] LOOP
      IF used_now[places[last_row]] >= limits[last_row] THEN is_admitted := 0; END IF;
      last_row := last_row + 1;
    END LOOP;
    FOR entry IN first_row .. last_row - 1 LOOP
      counting := places[entry];
      IF is_admitted = 1 THEN
        used_now[counting] := used_now[counting] + 1;
        ends_now[counting] := COALESCE(ends_now[counting], present + lengths[counting] * 1000::BIGINT);
        changed[counting] := TRUE;
      END IF;
      counted := used_now[counting];
      until_at := COALESCE(ends_now[counting], present + lengths[counting] * 1000::BIGINT);
      RETURN NEXT;
    END LOOP;
    first_row := last_row;
  END LOOP;
  FOR place IN 1 .. cardinality(names) LOOP
    IF changed[place] THEN
      UPDATE rate_windows w SET used = used_now[place], ends_at = ends_now[place]
        WHERE w.name = names[place] AND w.seconds = lengths[place];
    END IF;
  END LOOP;
END $$`
