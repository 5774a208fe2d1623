/**
 * Runs the whole service on a free port of this machine, on the real clock. The links in the service's mails lead to
 * this port.
 */
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { MailMessage } from "@partner-commentary/core/mail/Mailer"
import type { Persona } from "@partner-commentary/core/persona/Persona"
import * as Routes from "@partner-commentary/server/Routes"
import * as Workers from "@partner-commentary/server/Workers"
import { WorkerSettings } from "@partner-commentary/server/workers/WorkerSettings"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { eventually } from "../test/support/Eventually.ts"
import { PausableGenerator } from "./PausableGenerator.ts"

export const testOrganizationName = "Courtside App"

export class CreatorSite extends Context.Service<
  CreatorSite,
  {
    readonly apiRoot: string
    /** The browsers' requests to this server, oldest first, in the form `METHOD /path`. */
    readonly requests: Array<string>
    /** Creates a persona with a new creator, who has received no mail yet. */
    readonly persona: (name: string) => Promise<Persona>
    /** Submits a topic to the persona and returns the mail to its creator. */
    readonly ask: (persona: Persona, content: string) => Promise<MailMessage>
    /** Waits until the creator has received `count` mails, and returns the last of these mails. */
    readonly mail: (persona: Persona, count: number) => Promise<MailMessage>
    readonly mails: (persona: Persona) => Promise<ReadonlyArray<MailMessage>>
    readonly hold: () => Promise<unknown>
    readonly release: () => Promise<unknown>
  }
>()("@partner-commentary/test/CreatorSite") {
  static readonly layer = Layer.suspend(() => {
    const requests: Array<string> = []
    return Layer.unwrap(
      Effect.map(HttpServer.HttpServer, (server) => site(HttpServer.formatAddress(server.address), requests))
    ).pipe(Layer.provide(NodeHttpServer.layer(() => listening(requests), { port: 0, host: "127.0.0.1" })))
  })
}

/** Records only requests of browsers, without the partner's API calls. */
const listening = (requests: Array<string>) =>
  createServer().on("request", ({ method, url = "" }) => {
    if (!url.startsWith("/partner/")) requests.push(`${method} ${url}`)
  })

const site = (apiRoot: string, requests: Array<string>) =>
  Layer.effect(CreatorSite, made(apiRoot, requests)).pipe(
    Layer.provide(
      Layer.merge(
        HttpRouter.serve(Routes.layerOwnRouter, {
          routerConfig: Routes.routerConfig,
          disableLogger: true,
          disableListenLog: true
        }),
        Workers.layer.pipe(
          Layer.provide(
            Layer.succeed(WorkerSettings, {
              ...WorkerSettings.defaultValue(),
              drafts: 4,
              mails: 4,
              deliveries: 100
            })
          )
        )
      )
    ),
    Layer.provide(Application.layer({ apiRoot, outside: Layer.merge(Mailbox.layer, PausableGenerator.layer) }))
  )

const made = Effect.fnUntraced(function* (apiRoot: string, requests: Array<string>) {
  const mailbox = yield* Mailbox
  const { hold, release } = yield* PausableGenerator
  const owner = yield* Seed.createOrganization({ name: testOrganizationName })
  const { text: key } = yield* Seed.issueApiKey(owner)
  const run = Effect.runPromiseWith(yield* Effect.context<Effect.Services<ReturnType<typeof Seed.createPersona>>>())

  const mail = (persona: Persona, count: number) =>
    run(
      eventually(
        `mail ${count} to the creator of ${persona.name}`,
        Effect.map(mailbox.to(persona.creator.email), (mails) => mails[count - 1])
      )
    )

  const submit = (persona: Persona, content: string) =>
    fetch(`${apiRoot}/partner/v1/topics`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ content, persona_ids: [persona.id] })
    })

  return CreatorSite.of({
    apiRoot,
    requests,
    persona: (name) => run(Seed.createPersona(owner, { name })),
    ask: async (persona, content) => {
      const before = await run(mailbox.to(persona.creator.email))
      const { status } = await submit(persona, content)
      if (status !== 201) throw new Error(`the topic was answered with ${status}`)
      return mail(persona, before.length + 1)
    },
    mail,
    mails: (persona) => run(mailbox.to(persona.creator.email)),
    hold: () => run(hold),
    release: () => run(release)
  })
})
