/**
 * Generates `_resources.py`: for each group of operations, one class with blocking calls and one class with
 * asynchronous calls.
 */
import type { OpenApiDocument } from "@partner-commentary/api/description/Document"
import { renderDocstring } from "./ModelsModule.ts"
import { describePythonMethods, type PythonMethod, type PythonParameter } from "./Operation.ts"
import { toPascalCase } from "./PythonTypes.ts"

const head = `"""The operations of the service. Generated from docs/openapi.json: npm run describe."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, List, Literal

from . import models
from ._call import Call, RequestOptions, segment
from ._connection import AsyncConnection, Connection
from ._listing import AsyncListing, Listing
`

interface Mode {
  /** The prefix of the generated class names. */
  readonly prefix: string
  readonly define: string
  readonly wait: string
}

const blocking: Mode = { prefix: "", define: "def", wait: "" }
const asynchronous: Mode = { prefix: "Async", define: "async def", wait: "await " }

const parameter = ({ name, required, type }: PythonParameter): string =>
  `${name}: ${required ? type : `${type} | None = None`}`

const mapping = (given: ReadonlyArray<PythonParameter>): string =>
  `{${given.map(({ key, name }) => `${JSON.stringify(key)}: ${name}`).join(", ")}}`

const signature = ({ body = [], idempotent, ids, query }: PythonMethod): string => {
  const given = [...body, ...query.filter(({ name }) => !ids.includes(name))]
  const keywords = [
    ...given.filter(({ required }) => required).map(parameter),
    ...given.filter(({ required }) => !required).map(parameter),
    ...(idempotent ? ["idempotency_key: str | None = None"] : []),
    "options: RequestOptions | None = None"
  ]
  return ["self", ...ids.map((id) => `${id}: str`), "*", ...keywords].map((each) => `        ${each},`).join("\n")
}

const callOf = (operation: PythonMethod, query: string): string => {
  const { body, idempotent, path, verb } = operation
  const parts = [
    JSON.stringify(verb),
    `${path.includes("{") ? "f" : ""}${JSON.stringify(path)}`,
    ...(query === "" ? [] : [`query=${query}`]),
    ...(body === undefined ? [] : [`body=${mapping(body)}`]),
    ...(verb !== "POST" ? [] : [idempotent ? "idempotency_key=idempotency_key" : "once=True"]),
    "options=options"
  ]
  return `Call(${parts.join(", ")})`
}

const simple = (mode: Mode, operation: PythonMethod): ReadonlyArray<string> => [
  `    ${mode.define} ${operation.method}(`,
  signature(operation),
  `    ) -> ${operation.result}:`,
  ...renderDocstring(`${operation.summary}.`, "        "),
  `        call = ${callOf(operation, operation.query.length === 0 ? "" : mapping(operation.query))}`,
  `        result: ${operation.result} = ${mode.wait}self._connection.${operation.whole ? "send" : "data"}(call)`,
  "        return result"
]

/**
 * Returns Python code for the query of the next page. The query passes the page's position as `after` if the list is in
 * ascending order, and as `cursor` otherwise. The query of the next page has no offset.
 */
const furtherPage = ({ query }: PythonMethod): string => {
  const names = query.map(({ name }) => name)
  const place = names.includes("after") ? '"after" if after or order == "asc" else "cursor"' : '"cursor"'
  return `{**query, ${names.includes("offset") ? '"offset": None, ' : ""}${place}: position}`
}

const paged = (mode: Mode, operation: PythonMethod): ReadonlyArray<string> => [
  `    def ${operation.method}(`,
  signature(operation),
  `    ) -> ${mode.prefix}Listing[${operation.item}, ${operation.result}]:`,
  ...renderDocstring(`${operation.summary}: iterate over all, or take \`page()\`.`, "        "),
  `        query: dict[str, Any] = ${mapping(operation.query)}`,
  "",
  `        ${mode.define} fetch(position: str | None) -> ${operation.result}:`,
  `            given = query if position is None else ${furtherPage(operation)}`,
  `            call = ${callOf(operation, "given")}`,
  `            result: ${operation.result} = ${mode.wait}self._connection.send(call)`,
  "            return result",
  "",
  `        return ${mode.prefix}Listing(fetch)`
]

const classOf = (mode: Mode, group: string, operations: ReadonlyArray<PythonMethod>): ReadonlyArray<string> => [
  "",
  "",
  `class ${mode.prefix}${toPascalCase(group)}Resource:`,
  `    def __init__(self, connection: ${mode.prefix}Connection) -> None:`,
  "        self._connection = connection",
  ...operations.flatMap((each) => ["", ...(each.item === undefined ? simple : paged)(mode, each)])
]

const collection = (mode: Mode, name: string, groups: ReadonlyArray<string>): ReadonlyArray<string> => [
  "",
  "",
  `class ${mode.prefix}${name}:`,
  `    def __init__(self, connection: ${mode.prefix}Connection) -> None:`,
  ...groups.map((group) => `        self.${group} = ${mode.prefix}${toPascalCase(group)}Resource(connection)`)
]

export const renderPythonResourcesModule = (document: OpenApiDocument): string => {
  const operations = describePythonMethods(document)
  const groupsOf = (isDashboard: boolean) => [
    ...new Set(operations.filter((each) => each.isDashboard === isDashboard).map(({ group }) => group))
  ]
  const lines = [blocking, asynchronous].flatMap((mode) => [
    ...[...groupsOf(false), ...groupsOf(true)].flatMap((group) =>
      classOf(
        mode,
        group,
        operations.filter((each) => each.group === group)
      )
    ),
    ...collection(mode, "PartnerResources", groupsOf(false)),
    ...collection(mode, "DashboardResources", groupsOf(true))
  ])
  return `${head}${lines.join("\n")}\n`
}
