/** Checks that the repository says nothing of the machines it stood on, and that every version is pinned. */
import { gate } from "./Gate.ts"
import { machinePath, registryAddress } from "./rules/Origin.ts"
import { exactVersion, nodePin, sameVersion } from "./rules/Version.ts"

gate("sources", [machinePath, registryAddress, exactVersion, sameVersion, nodePin])
