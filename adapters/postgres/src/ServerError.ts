/** Converts errors of the host's driver to Effect's SqlError. The server's SQLSTATE selects the type of the error. */
import { DatabaseBusy } from "@partner-commentary/core/shared/DatabaseBusy"
import * as Predicate from "effect/Predicate"
import {
  AuthenticationError,
  AuthorizationError,
  ConnectionError,
  ConstraintError,
  DeadlockError,
  LockTimeoutError,
  SerializationError,
  SqlError,
  type SqlErrorReason,
  SqlSyntaxError,
  StatementTimeoutError,
  UniqueViolation,
  UnknownError
} from "effect/sql/SqlError"

interface Props {
  readonly cause: unknown
  readonly message: string
  readonly operation: string
}

/** The first pattern that matches the SQLSTATE selects the type of the error. */
const reasons: ReadonlyArray<readonly [RegExp, (props: Props) => SqlErrorReason]> = [
  [/^08/, (props) => new ConnectionError(props)],
  [/^28/, (props) => new AuthenticationError(props)],
  [/^42501$/, (props) => new AuthorizationError(props)],
  [/^42/, (props) => new SqlSyntaxError(props)],
  [/^23505$/, (props) => new UniqueViolation({ ...props, constraint: constraintOf(props.cause) })],
  [/^23/, (props) => new ConstraintError(props)],
  [/^40P01$/, (props) => new DeadlockError(props)],
  [/^40001$/, (props) => new SerializationError(props)],
  [/^55P03$/, (props) => new LockTimeoutError(props)],
  [/^57014$/, (props) => new StatementTimeoutError(props)],
  [/./, (props) => new UnknownError(props)]
]

const textOf = (cause: unknown, name: string): string | undefined => {
  const value = Predicate.isObject(cause) ? Reflect.get(cause, name) : undefined
  return Predicate.isString(value) && value !== "" ? value : undefined
}

const constraintOf = (cause: unknown) => textOf(cause, "constraint") ?? "unknown"

/**
 * Returns the server's SQLSTATE. The result is undefined for an error without a SQLSTATE. A SQLSTATE contains a digit.
 * The error codes of the operating system, such as `EPIPE`, contain no digit.
 */
export const findSqlState = (cause: unknown): string | undefined => {
  const code = textOf(cause, "code")
  return code !== undefined && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/**
 * The error message of `pg` when no connection of the pool became free in time. If no connection became free, the
 * server has received no statement.
 */
const poolExhausted = "timeout exceeded when trying to connect"

/** The SQLSTATE `too_many_connections`, which means that the server has no free connection slot. */
const tooManyConnections = "53300"

const isBusy = (cause: unknown, state: string | undefined): boolean =>
  state === tooManyConnections || (state === undefined && textOf(cause, "message") === poolExhausted)

/** Converts an error of the driver. An error without a SQLSTATE comes from the connection or from the pool. */
export const toSqlError = (cause: unknown, operation: string): SqlError => {
  const stated = findSqlState(cause)
  const message = `Failed to ${operation}`
  if (isBusy(cause, stated)) {
    const busy = new DatabaseBusy("No connection to the database became free", { cause })
    return new SqlError({ reason: new ConnectionError({ cause: busy, message, operation }) })
  }
  const state = stated ?? "08000"
  const reason = reasons.find(([pattern]) => pattern.test(state))?.[1]({ cause, message, operation })
  return new SqlError({ reason: reason ?? new UnknownError({ cause, message, operation }) })
}

/** Returns whether the error has ended the session. A session that the server has ended must not be used again. */
export const isSessionEndingError = ({ reason: { cause } }: SqlError): boolean => {
  const state = findSqlState(cause)
  return state === undefined || isSessionLossSqlState(state)
}

/**
 * Returns whether the SQLSTATE means that the server has ended the session: a lost connection, a server start or
 * shutdown, or an idle timeout.
 */
export const isSessionLossSqlState = (state: string): boolean =>
  /^(08|57P)/.test(state) || state === "25P03" || state === "25P04"
