/** Finds variables that have no effect because the variable that they depend on is unset. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Variable from "./Variable.ts"
import type { VariableName } from "./VariableNames.ts"

export interface IgnoredVariables {
  readonly names: ReadonlyArray<VariableName>
  /** The unset variable on which the named variables depend. */
  readonly main: VariableName
  /** What the service does without the main variable. */
  readonly consequence: string
}

const groups: ReadonlyArray<IgnoredVariables> = [
  {
    main: "GENERATOR_URL",
    names: ["GENERATOR_API_KEY", "GENERATOR_MODEL"],
    consequence: "drafts come from the local generator"
  },
  {
    main: "SPEECH_URL",
    names: ["SPEECH_API_KEY", "SPEECH_MODEL", "SPEECH_VOICE"],
    consequence: "the service makes no audio"
  },
  {
    main: "MEDIA_S3_URL",
    names: [
      "MEDIA_S3_ACCESS_KEY_ID",
      "MEDIA_S3_SECRET_ACCESS_KEY",
      "MEDIA_S3_SESSION_TOKEN",
      "MEDIA_S3_REGION",
      "MEDIA_PUBLIC_URL"
    ],
    consequence: "no bucket stores audio"
  },
  {
    main: "JWKS_URL",
    names: ["JWT_ISSUER", "JWT_AUDIENCE", "JWT_ORG_CLAIM"],
    consequence: "no identity provider verifies dashboard tokens"
  }
]

const isSet = (name: VariableName) => Effect.map(Variable.readText(name), Option.isSome)

/** Returns each group that has a variable whose main variable is unset, with only the variables that are set. */
export const findIgnoredVariables = Effect.gen(function* () {
  const withoutMain = yield* Effect.filter(groups, ({ main }) => Effect.map(isSet(main), (isMainSet) => !isMainSet))
  const found = yield* Effect.forEach(withoutMain, (group) =>
    Effect.map(Effect.filter(group.names, isSet), (names): IgnoredVariables => ({ ...group, names }))
  )
  return found.filter(({ names }) => names.length > 0)
})
