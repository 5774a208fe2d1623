/** Checks that the repository says nothing of the machines it stood on, that every version is pinned, and that nothing is published as it lies. */
import { gate } from "./Gate.ts"
import { machinePath, registryAddress } from "./rules/Origin.ts"
import { publishing } from "./rules/Publishing.ts"
import { exactVersion, nodePin, sameVersion } from "./rules/Version.ts"

gate("sources", [machinePath, registryAddress, exactVersion, sameVersion, nodePin, publishing])
