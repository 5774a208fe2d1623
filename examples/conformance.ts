/** Checks that the service, mounted in your server, returns the same responses as the standalone server. */
import * as HostConformance from "@partner-commentary/test/HostConformance"
import type { PartnerCommentary } from "partner-commentary"

// #region conformance
/** Resolves with the number of compared requests, or rejects with all differences. `pc` needs an unused database. */
export const checkHostConformance = async (pc: PartnerCommentary, port: number, apiRoot: string) => {
  const partner = await pc.run(HostConformance.seedPartner("127.0.0.1"))
  const ask = HostConformance.requestOverSocket({ port })
  return HostConformance.checkConformance({ ask, apiRoot, partner, ignoreHeaders: ["x-powered-by"] })
}
// #endregion
