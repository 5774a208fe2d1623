/** The five personas that every test key may ask, without a licence and without a row anywhere; and which path an assignment takes. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { PersonaId } from "../shared/Ids.ts"
import type { Persona } from "./Persona.ts"

/** How an assignment to a simulated creator ends. `wait` takes a step only when the partner asks for it. */
export const SimulationPath = Schema.Literals(["approve", "decline", "expire", "fail", "wait"])
export type SimulationPath = typeof SimulationPath.Type

interface TestPersona extends Persona {
  readonly path: SimulationPath
}

/** The ids begin with `7e57`, which reads as test. They never change: partners write them into their own tests. */
const testPersona = (number: number, path: SimulationPath, name: string, bio: string): TestPersona => ({
  path,
  id: PersonaId.make(`7e570000-0000-4000-8000-${String(number).padStart(12, "0")}`),
  name,
  imageUrl: "",
  bio: `A test persona. ${bio}`,
  expertise: ["testing"],
  socialLinks: {},
  creator: { name: "", email: "" },
  createdAt: 0
})

/** Also the persona of every example in the documents, so that an example works with a test key. */
export const approvingPersona = testPersona(
  1,
  "approve",
  "Avery Approves",
  "Responds and approves within seconds: topic_sent, opinion_injected, commentary_generated, creator_approved."
)

/** In the order in which they are listed. */
export const testPersonas: ReadonlyArray<TestPersona> = [
  approvingPersona,
  testPersona(2, "decline", "Dana Declines", "Declines within seconds: topic_sent, declined."),
  testPersona(3, "expire", "Eden Expires", "Never responds, and expires within seconds: topic_sent, expired."),
  testPersona(
    4,
    "fail",
    "Farah Fails",
    "Responds, and the generation fails for good within seconds: topic_sent, opinion_injected with failure generation_failed."
  ),
  testPersona(
    5,
    "wait",
    "Wren Waits",
    "Does nothing by itself: each call of POST /test/assignments/{share_id}/advance takes one step."
  )
]

const byId: ReadonlyMap<PersonaId, TestPersona> = new Map(testPersonas.map((persona) => [persona.id, persona]))

/** None for every other persona, licensed or not. */
export const testPersonaOf = (id: PersonaId): Option.Option<TestPersona> => Option.fromUndefinedOr(byId.get(id))

/** Test personas keep to their own path. Of every other, the topic's first magic word decides; without one it is approved. */
export const pathFor = (id: PersonaId, content: string): SimulationPath => {
  const own = byId.get(id)
  if (own !== undefined) return own.path
  const word = /\[(decline|expire|fail)\]/i.exec(content)?.[1]?.toLowerCase()
  return (word as SimulationPath | undefined) ?? "approve"
}
