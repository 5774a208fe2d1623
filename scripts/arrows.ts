/** Checks who may import whom, as docs/architecture.md draws it. */
import { gate } from "./Gate.ts"
import { arrow } from "./rules/Arrow.ts"
import { declaredDependency, usedDependency } from "./rules/Dependency.ts"
import { effectPath, globalSideEffect } from "./rules/EffectPath.ts"
import { folderCycle } from "./rules/FolderCycle.ts"
import { harnessImport } from "./rules/HarnessImport.ts"
import { importCycle, relativeImport } from "./rules/RelativeImport.ts"
import { storeLine } from "./rules/StoreLine.ts"

gate("arrows", [
  arrow,
  harnessImport,
  declaredDependency,
  usedDependency,
  effectPath,
  globalSideEffect,
  relativeImport,
  importCycle,
  folderCycle,
  storeLine
])
