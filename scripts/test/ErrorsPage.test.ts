/** Tests that docs/reference/errors.md explains every error code. */
import { httpStatusByErrorCode } from "@partner-commentary/api/Errors"
import { expect, it } from "vitest"
import { readRepositoryFiles } from "../Repository.ts"

it("the errors page has the status and the meaning of every error code", () => {
  const page = readRepositoryFiles().get("docs/reference/errors.md") ?? ""
  const explained = [...page.matchAll(/^## (\w+)\n\nStatus (\d+)\. \w.*\.$/gm)].map(([, code, status]) => [
    code,
    Number(status)
  ])
  expect(Object.fromEntries(explained)).toEqual(httpStatusByErrorCode)
})
