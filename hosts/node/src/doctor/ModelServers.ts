/**
 * Checks that the servers for drafts and speech answer and accept the configured key. The check of the draft and speech
 * servers sends only requests that cost nothing.
 */
import type { OpenAiEndpoint } from "@partner-commentary/generator/OpenAiServer"
import * as ConfigSummary from "@partner-commentary/settings/ConfigSummary"
import type { Settings } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type DoctorFinding, doctorCheckTimeout, makeMendFinding, makeNoticeFinding, makeOkFinding } from "./Doctor.ts"

export const checkDraftGenerator = (settings: Settings): Effect.Effect<DoctorFinding> => {
  const subject = `Drafts: ${ConfigSummary.describeGenerator(settings)}`
  if (Option.isSome(settings.generator)) return checkServer("generator", subject, settings.generator.value, "a draft")
  return Effect.succeed(
    settings.development
      ? makeOkFinding("generator", `${subject}.`)
      : makeNoticeFinding(
          "generator",
          `${subject}, which only adds an introduction to the creators' own words: set GENERATOR_URL and GENERATOR_MODEL.`
        )
  )
}

export const checkSpeechServer = ({ media }: Settings): Effect.Effect<DoctorFinding> =>
  Option.match(media.speech, {
    onNone: () => Effect.succeed(makeOkFinding("speech", "None: no audio is made.")),
    onSome: (server) => checkServer("speech", `Audio: ${server.model} at ${server.url}`, server, "speech")
  })

const checkServer = Effect.fnUntraced(function* (
  check: "generator" | "speech",
  subject: string,
  server: OpenAiEndpoint,
  untried: string
) {
  const Reachability = yield* Effect.promise(() => import("@partner-commentary/generator/Reachability"))
  const accepts = Option.isSome(server.apiKey) ? "answers and takes the key" : "answers without a key"
  return yield* Effect.match(Reachability.checkOpenAiReachability(server, doctorCheckTimeout), {
    onFailure: ({ reason }) => makeMendFinding(check, `${subject}, which does not work: ${reason}.`),
    onSuccess: (reached) =>
      reached === "accepted"
        ? makeOkFinding(check, `${subject}, which ${accepts}. Not tested: ${untried}.`)
        : makeNoticeFinding(
            check,
            `${subject}, which answers. The key was not checked, because the server has no list of models.`
          )
  })
})
