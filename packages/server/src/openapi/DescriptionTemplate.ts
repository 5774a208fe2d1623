/**
 * The API description with a placeholder for the service's address. It is generated at the first request. Hosts that
 * have it as a file need no generator.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The URL of the service in the template. */
export const apiRootPlaceholder = "{api_root}"

export const DescriptionTemplate = Context.Reference<Effect.Effect<string>>(
  "@partner-commentary/reference/DescriptionTemplate",
  {
    defaultValue: () =>
      Effect.map(
        Effect.promise(() => import("./DescriptionText.ts")),
        ({ descriptionText }) => descriptionText(apiRootPlaceholder)
      )
  }
)
