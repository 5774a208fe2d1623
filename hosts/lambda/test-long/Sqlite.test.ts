/** Runs the container tests on one SQLite file. */
import * as ContainerSuite from "../test/ContainerSuite.ts"
import * as Deployment from "../test/Deployment.ts"

ContainerSuite.registerContainerSuite("SQLite", Deployment.seedSqliteDatabase)
