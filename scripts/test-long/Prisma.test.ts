/** Tests the service in transactions of Prisma, installed with the service's tarballs in an empty project. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { createEmptyDatabase } from "../../hosts/test/test/embedding/HostDatabase.ts"
import { buildAllWorkspaces, typeScriptCompilerPath } from "../packing/Build.ts"
import { packPackages } from "../packing/Tarballs.ts"
import { repositoryRoot } from "../Repository.ts"
import { createTestProject, runProgram, testCompilerOptions } from "./Installation.ts"

const place = mkdtempSync(join(tmpdir(), "prisma-"))
afterAll(() => rmSync(place, { recursive: true, force: true }))

const packages = {
  prisma: "7.10.1",
  "@prisma/client": "7.10.0",
  "@prisma/adapter-pg": "7.10.1",
  pg: "8.23.1",
  "@types/pg": "8.23.1",
  "@types/node": "24.19.2"
}

const model = `generator client {
  provider = "prisma-client"
  output   = "../src/generated"
}
datasource db {
  provider = "postgresql"
}
model Order {
  id    Int    @id @default(autoincrement())
  topic String @unique
  @@map("orders")
}
`

const config = `import { defineConfig } from "prisma/config"
export default defineConfig({ schema: "prisma/schema.prisma" })
`

it("a Prisma transaction commits or rolls back the changes of use cases", async () => {
  buildAllWorkspaces()
  const packed = await packPackages(place)
  const folder = join(place, "project")
  createTestProject(folder, packed, ["partner-commentary", "@partner-commentary/postgres"], packages)
  await runProgram(folder, "npm", "install")
  for (const each of ["prisma", "src"]) mkdirSync(join(folder, each))
  writeFileSync(join(folder, "prisma/schema.prisma"), model)
  writeFileSync(join(folder, "prisma.config.ts"), config)
  // Without PRISMA_SCHEMA_ENGINE_BINARY, `prisma generate` downloads an engine for migrations. The command `prisma
  // generate` does not start the engine, so the path of any program is sufficient.
  await runProgram(
    folder,
    "env",
    `PRISMA_SCHEMA_ENGINE_BINARY=${process.execPath}`,
    "node_modules/.bin/prisma",
    "generate"
  )
  cpSync(join(repositoryRoot, "examples/libraries/prisma.ts"), join(folder, "src/prisma.ts"))
  const story = readFileSync(join(repositoryRoot, "scripts/test-long/installed/Prisma.ts"), "utf8")
  writeFileSync(join(folder, "src/Story.ts"), story.replaceAll("../../../examples/libraries/", "./"))
  const options = { compilerOptions: { ...testCompilerOptions, skipLibCheck: true }, include: ["src"] }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options))
  expect(await runProgram(folder, process.execPath, typeScriptCompilerPath, "--project", ".")).toBe("")
  const variables = [
    `DATABASE_URL=${await createEmptyDatabase()}`,
    "COMMENTARY_SECRET=any text of 32 characters or more"
  ]
  expect(await runProgram(folder, "env", ...variables, process.execPath, "out/Story.js")).toBe("committed\n")
})
