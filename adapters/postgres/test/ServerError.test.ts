/** Tests how errors of the host's driver become SqlErrors. */
import { isCausedByDatabaseBusy } from "@partner-commentary/core/shared/DatabaseBusy"
import { expect, it } from "vitest"
import { isSessionEndingError, toSqlError } from "../src/ServerError.ts"

const seen = (code: string) => {
  const error = toSqlError(Object.assign(new Error("the driver failed"), { code }), "execute")
  return [error.reason._tag, isSessionEndingError(error)]
}

it("an error with an operating system code, such as EPIPE, is a lost connection, even if the code has five letters like a SQLSTATE", () => {
  for (const code of ["EPIPE", "EBADF", "ECONNRESET"]) expect(seen(code)).toEqual(["ConnectionError", true])
})

it("an SQLSTATE ends a session only if the SQLSTATE means a lost connection", () => {
  expect(seen("57P01")).toEqual(["UnknownError", true])
  expect(seen("P0001")).toEqual(["UnknownError", false])
  expect(seen("XX000")).toEqual(["UnknownError", false])
  expect(seen("23505")).toEqual(["UniqueViolation", false])
})

it("a pool or server without a free connection is reported as busy, but a server that does not respond is not reported as busy", () => {
  const isBusy = (message: string, code?: string) =>
    isCausedByDatabaseBusy(toSqlError(Object.assign(new Error(message), { code }), "connect"))
  expect(isBusy("timeout exceeded when trying to connect")).toBe(true)
  expect(isBusy("sorry, too many clients already", "53300")).toBe(true)
  expect(isBusy("Connection terminated due to connection timeout")).toBe(false)
  expect(isBusy("connect ECONNREFUSED", "ECONNREFUSED")).toBe(false)
})
