/**
 * The API description with a placeholder for the service's URL. By default, the description is generated at the first
 * request. A host that stores the description as a file needs no generator.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The placeholder that stands for the service's URL in the template. */
export const apiRootPlaceholder = "{api_root}"

export const ApiDescriptionTemplate = Context.Reference<Effect.Effect<string>>(
  "@partner-commentary/reference/ApiDescriptionTemplate",
  {
    defaultValue: () =>
      Effect.map(
        Effect.promise(() => import("./DescriptionText.ts")),
        ({ generateOpenApiJson }) => generateOpenApiJson(apiRootPlaceholder)
      )
  }
)
