/** Lists all attacks by name: one attack for each operation of the OpenAPI document, and the special attacks. */
import { readFileSync } from "node:fs"
import type { Attack } from "./Attack.ts"
import * as Operations from "./Operations.ts"
import { specialAttacks } from "./SpecialAttacks.ts"

const description = JSON.parse(readFileSync(new URL("../../../../docs/openapi.json", import.meta.url), "utf8"))

export const { attacks: operations, missing } = Operations.makeOperationAttacks(description)

export const allAttacks: Readonly<Record<string, Attack>> = { ...operations, ...specialAttacks }
