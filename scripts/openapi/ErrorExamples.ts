/** Checks that every error code of a response has an example. Spectral's rules cannot compare two lists. */

import { jsonContentType, type OpenApiDocument } from "@partner-commentary/api/description/Document"
import { findErrorCode, listErrorEnvelopes } from "@partner-commentary/api/description/Responses"

export const findErrorsWithoutExample = ({ components, paths }: OpenApiDocument): ReadonlyArray<string> =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        .flatMap(([status, { content }]) => {
          const { examples = {}, schema } = content?.[jsonContentType] ?? { schema: {} }
          return listErrorEnvelopes(schema, components.schemas)
            .map(findErrorCode)
            .filter((code) => !(code in examples))
            .map((code) => `${method.toUpperCase()} ${path} ${status}: the error ${code} has no example`)
        })
    )
  )
