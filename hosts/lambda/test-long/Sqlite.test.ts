/** Containers on one SQLite file. */
import * as ContainerSuite from "../test/ContainerSuite.ts"
import * as Deployment from "../test/Deployment.ts"

ContainerSuite.suite("SQLite", Deployment.onSqlite)
