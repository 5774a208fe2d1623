/** Defines the operations that only test keys can use: manual steps of simulated creators. */
import { SimulatedAction } from "@partner-commentary/core/sandbox/Simulation"
import { AssignmentStatus } from "@partner-commentary/core/topic/Assignment"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, RequiredScope } from "./ApiKeyAuth.ts"
import { makeBodyOptional } from "./Documented.ts"
import { testEnvironmentDescription } from "./description/TestEnvironment.ts"
import { SuccessEnvelope } from "./Envelope.ts"
import { NotFound } from "./Errors.ts"
import * as Fields from "./Fields.ts"
import { IdempotencyHeaders } from "./IdempotencyKey.ts"

/** The optional body of a manual step. */
export const AdvanceAssignmentBody = Schema.Struct({
  action: Schema.optionalKey(
    SimulatedAction.annotate({
      message: `must be one of ${SimulatedAction.literals.join(", ")}, and one that the assignment's \`actions\` name`,
      description:
        "The step to take. The default is the next step of the assignment's persona or magic word. The creator takes the steps `respond`, `decline`, `approve` and `withdraw`, and the generator `generate` and `fail`. `expire` ends the current deadline without an answer or an approval.",
      examples: ["approve"]
    })
  )
}).annotate({ identifier: "AdvanceAssignment", examples: [{ action: "approve" }, {}] })

export const SimulatedAssignment = Schema.Struct({
  share_id: Fields.ShareId,
  topic_id: Fields.Uuid.annotate({ description: "The topic of the assignment." }),
  persona_id: Fields.Uuid.annotate({
    description: "The persona of the assignment.",
    examples: ["7e570000-0000-4000-8000-000000000005"]
  }),
  persona_name: Schema.String.annotate({ description: "The persona's display name.", examples: ["Wren Waits"] }),
  status: AssignmentStatus.annotate({ description: "The status after the step.", examples: ["opinion_injected"] }),
  status_updated_at: Fields.Timestamp.annotate({ description: "When the status last changed." }),
  has_commentary: Schema.Boolean.annotate({
    description: "True if the commentary is ready to fetch.",
    examples: [false]
  }),
  failure: Fields.AssignmentFailure,
  actions: Schema.Array(SimulatedAction).annotate({
    description: "The steps that are possible next. The first one leads to a commentary. Empty after the final step.",
    examples: [["generate", "fail"]]
  })
}).annotate({ identifier: "SimulatedAssignment" })

export class SandboxApi extends HttpApiGroup.make("sandbox")
  .add(
    HttpApiEndpoint.post("advance", "/test/assignments/:share_id/advance", {
      headers: IdempotencyHeaders,
      params: { share_id: Fields.ShareId },
      payload: AdvanceAssignmentBody,
      success: SuccessEnvelope(SimulatedAssignment),
      error: NotFound
    })
      .annotate(RequiredScope, "topics:submit")
      .annotate(OpenApi.Identifier, "advanceTestAssignment")
      .annotate(OpenApi.Summary, "Advance a simulated creator")
      .annotate(
        OpenApi.Description,
        "Takes a simulated creator's next step now, in the test environment. It works for assignments of every persona; assignments of Wren Waits change only through it. A live key gets 404. A step that the current status does not allow gets 400 with the field `action`, and so does any step after the final one."
      )
      .annotate(OpenApi.Transform, makeBodyOptional)
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Test environment",
      description: testEnvironmentDescription
    })
  )
  .middleware(ApiKeyAuth) {}
