/** Derives a caller's expected response from the operation's requirements and the owner of the requested resources. */
import type { ResourceOwnership, TestCaller } from "./Callers.ts"
import { findResourceVisibility, hasPathParameters, type Operation } from "./Operations.ts"

export type ExpectedAccess =
  | { readonly is: "refused"; readonly status: number; readonly code: string }
  /** The response is the same, byte for byte, as for an unknown id. */
  | { readonly is: "unknown" }
  | { readonly is: "success"; readonly whose: ResourceOwnership }

const refused = (status: number, code: string): ExpectedAccess => ({ is: "refused", status, code })

/** Returns the owner whose resources the caller can access, or the refusal. */
const admitted = (
  { scheme, scope, webhookScope }: Operation,
  { key, token }: TestCaller
): ResourceOwnership | ExpectedAccess => {
  if (scheme === "DashboardToken") return token === "unauthorized" ? refused(401, token) : token
  if (typeof key === "string") return refused(401, key)
  const hasWebhookScope = key.scopes.some((one) => one.startsWith("webhooks:"))
  const needed = webhookScope !== undefined && hasWebhookScope ? webhookScope : scope
  return needed === undefined || key.scopes.includes(needed) ? key.whose : refused(401, "scope_denied")
}

export const deriveExpectedAccess = (operation: Operation, caller: TestCaller): ExpectedAccess => {
  const whose = admitted(operation, caller)
  if (typeof whose === "object") return whose
  const success: ExpectedAccess = { is: "success", whose }
  if (whose === "own" || !hasPathParameters(operation)) return success
  switch (findResourceVisibility(operation)) {
    case "environment":
      return { is: "unknown" }
    case "organization":
      return whose === "other organization" ? { is: "unknown" } : success
    case "licence":
      return whose === "other organization" ? refused(403, "not_licensed") : success
  }
}
