/** Mounts the service in Express 5 and 4. */
import express from "express"
import { pc } from "./pc.ts"

const app = express()
app.get("/yours", (_, response) => void response.send("Your application."))
// #region glue
app.use("/commentary", pc.node)
await pc.start()
// #endregion
app.use(express.json())
app.listen(process.env.PORT)
