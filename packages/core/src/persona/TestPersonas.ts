/**
 * Defines the five test personas, and the simulation path of each assignment in the test environment. Test personas
 * need no licence and no database row.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { PersonaId } from "../shared/Ids.ts"
import type { Persona } from "./Persona.ts"

/**
 * The simulation path decides how an assignment to a simulated creator ends. On the path `wait`, the simulated creator
 * takes a step only when the partner requests the step.
 */
export const SimulationPath = Schema.Literals(["approve", "decline", "expire", "fail", "wait"])
export type SimulationPath = typeof SimulationPath.Type

interface TestPersona extends Persona {
  readonly path: SimulationPath
}

/**
 * Creates a test persona. The id of a test persona starts with `7e57` ("test"). The id of a test persona never changes,
 * because partners' tests use the id.
 */
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

/** Every example in the documentation uses this persona, so that the example works with a test key. */
export const approvingTestPersona = testPersona(
  1,
  "approve",
  "Avery Approves",
  "Responds and approves within seconds: topic_sent, opinion_injected, commentary_generated, creator_approved."
)

/** The test personas in the order of the persona list. */
export const testPersonas: ReadonlyArray<TestPersona> = [
  approvingTestPersona,
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

/** Returns the test persona with this id; none for the id of any other persona. */
export const findTestPersona = (id: PersonaId): Option.Option<TestPersona> => Option.fromUndefinedOr(byId.get(id))

/**
 * Returns the simulation path of an assignment. A test persona has a fixed simulation path. For other personas, the
 * first keyword in the topic (`[decline]`, `[expire]` or `[fail]`) selects the path. A topic without a keyword gets the
 * path `approve`.
 */
export const selectSimulationPath = (id: PersonaId, content: string): SimulationPath => {
  const own = byId.get(id)
  if (own !== undefined) return own.path
  const word = /\[(decline|expire|fail)\]/i.exec(content)?.[1]?.toLowerCase()
  return (word as SimulationPath | undefined) ?? "approve"
}
