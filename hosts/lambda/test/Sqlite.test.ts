/** Containers on one SQLite file. */
import * as ContainerSuite from "./ContainerSuite.ts"
import * as Deployment from "./Deployment.ts"

ContainerSuite.suite("SQLite", Deployment.onSqlite)
