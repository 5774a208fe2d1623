/** Mounts the service in Node's own HTTP server. */
import { createServer } from "node:http"
import { pc } from "./pc.ts"

// #region glue
await pc.start()
createServer((request, response) => {
  if (request.url?.startsWith("/commentary/")) void pc.node(request, response)
  else response.end("Your application.")
}).listen(process.env.PORT)
// #endregion
