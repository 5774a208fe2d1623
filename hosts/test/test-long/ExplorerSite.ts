/**
 * Runs the whole service on a free port of this machine. One organization has a licence for one persona, a live key and
 * a test key.
 */
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Routes from "@partner-commentary/server/Routes"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"

export const testPersonaName = "Ada Vance"

export class ExplorerSite extends Context.Service<
  ExplorerSite,
  { readonly apiRoot: string; readonly key: string; readonly testKey: string }
>()("@partner-commentary/test/ExplorerSite") {
  static readonly layer = Layer.unwrap(
    Effect.map(HttpServer.HttpServer, (server) => {
      const apiRoot = HttpServer.formatAddress(server.address)
      const made = Effect.gen(function* () {
        const owner = yield* Seed.createOrganization({ name: "Courtside App" })
        yield* Seed.createPersona(owner, { name: testPersonaName })
        const { text: key } = yield* Seed.issueApiKey(owner)
        const { text: testKey } = yield* Seed.issueApiKey(owner, { environment: "test" })
        return { apiRoot, key, testKey }
      })
      const serving = HttpRouter.serve(Routes.layerOwnRouter, {
        routerConfig: Routes.routerConfig,
        disableLogger: true,
        disableListenLog: true
      })
      const outside = Layer.merge(Mailbox.layer, ScriptedGenerator.layer)
      // Browsers use a host name that differs from the host name in the configured `apiRoot`.
      return Layer.effect(ExplorerSite, made).pipe(
        Layer.provide(serving),
        Layer.provide(Application.layer({ apiRoot: "https://api.test.invalid", outside }))
      )
    })
  ).pipe(Layer.provide(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })))
}
