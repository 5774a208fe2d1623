/** Mounts the service in NestJS on Express. The body parser of NestJS may stay enabled. */
import { Module } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import { pc } from "./pc.ts"

@Module({})
class Application {}

const app = await NestFactory.create(Application)
// #region glue
app.use("/commentary", pc.node)
await pc.start()
// #endregion
await app.listen(process.env.PORT ?? 3000)
