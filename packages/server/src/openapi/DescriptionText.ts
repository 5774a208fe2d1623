/** Generates the text of the API description. This module imports the generator. */
import { describe } from "@partner-commentary/api/description/Description"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"

export const descriptionText = (apiRoot: string): string => JSON.stringify(describe(PartnerApi, apiRoot))
