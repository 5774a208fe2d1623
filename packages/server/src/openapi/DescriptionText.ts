/** Generates the text of the API description. Only this module imports the OpenAPI generator. */
import { generateOpenApiDocument } from "@partner-commentary/api/description/Description"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"

export const generateOpenApiJson = (apiRoot: string): string =>
  JSON.stringify(generateOpenApiDocument(PartnerApi, apiRoot))
