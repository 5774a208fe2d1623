/** Partners submit, poll, fetch and list topics through this service. */

import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Principal } from "../access/ApiKeys.ts"
import type { Persona } from "../persona/Persona.ts"
import { PersonaStore } from "../persona/PersonaStore.ts"
import { dieOnInvalidPersonaIds } from "../persona/Personas.ts"
import { findTestPersona } from "../persona/TestPersonas.ts"
import * as Ids from "../shared/Ids.ts"
import { type PersonaId, ShareId, TopicId, type WebhookId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import * as LogContext from "../shared/LogContext.ts"
import type { Owner } from "../shared/Owner.ts"
import type { Page } from "../shared/Page.ts"
import { Policy } from "../shared/Policy.ts"
import { toAssignmentWorkKind, WorkSignal } from "../shared/WorkSignal.ts"
import type { QuotaExceeded } from "../usage/Quota.ts"
import {
  calculateInitialResponseDeadline,
  makeSubmissionResults,
  NoValidPersonas,
  type Submission,
  type SubmissionResult,
  selectCandidateRecipients
} from "./Submission.ts"
import { estimateMaxTopicBytes, type TestStorageFull } from "./TestStorage.ts"
import {
  calculateTopicFingerprint,
  findTopicContentProblem,
  type OutputType,
  type Topic,
  TopicContentProblem,
  type TopicMetadata
} from "./Topic.ts"
import {
  type ListedTopic,
  type ReferenceLookupLimits,
  type TopicProgress,
  type TopicQuery,
  type TopicRevision,
  TopicStore,
  type TopicsFoundByReference,
  type TopicWithAssignments
} from "./TopicStore.ts"

export interface NewTopic {
  /** The topic's content, which this service trims and checks. */
  readonly content: string
  /** The ids of the requested personas, 1 to `maxPersonasPerTopic` of them. */
  readonly personaIds: ReadonlyArray<PersonaId>
  readonly externalReference: string | null
  readonly outputTypes: ReadonlyArray<OutputType>
  readonly metadata: TopicMetadata
  /**
   * The webhooks that receive the topic's events. By default, all webhooks of the organization receive the topic's
   * events.
   */
  readonly webhookIds?: ReadonlyArray<WebhookId> | null
  /**
   * The deadline for responses, within the policy's `deadlineRange`. By default, the time windows of the policy
   * determine the deadline.
   */
  readonly respondBy?: Instant.Instant | null
}

/** The organization, environment and limits of the authenticated caller. */
export type SubmittingCaller = Pick<Principal, "organization" | "environment" | "limits">

export class InvalidContent extends Schema.TaggedError<InvalidContent>()("InvalidContent", {
  problem: TopicContentProblem
}) {}
export class TopicNotFound extends Schema.TaggedError<TopicNotFound>()("TopicNotFound", {}) {}
export class ReferenceNotFound extends Schema.TaggedError<ReferenceNotFound>()("ReferenceNotFound", {
  reference: Schema.String
}) {}

export const referenceLookupLimits: ReferenceLookupLimits = { topics: 100, assignments: 1000, bytes: 1024 * 1024 }

export class Topics extends Context.Service<
  Topics,
  {
    /**
     * Validates the topic and reads the licensed personas, which may come from another system. `prepare` stores
     * nothing.
     */
    readonly prepare: (
      asker: SubmittingCaller,
      topic: NewTopic
    ) => Effect.Effect<Submission, InvalidContent | NoValidPersonas>
    /** Writes the submission in one transaction. `submit` makes no calls to other systems. */
    readonly submit: (submission: Submission) => Effect.Effect<
      {
        readonly topic: Topic
        readonly results: ReadonlyArray<SubmissionResult>
        readonly sent: ReadonlyArray<ShareId>
      },
      NoValidPersonas | QuotaExceeded | TestStorageFull
    >
    readonly progress: (owner: Owner, id: TopicId) => Effect.Effect<TopicProgress, TopicNotFound>
    readonly find: (owner: Owner, id: TopicId) => Effect.Effect<TopicWithAssignments, TopicNotFound>
    /**
     * Returns the version of the topic that its entity tags contain. Reading the version is much cheaper than reading
     * the topic.
     */
    readonly revision: (owner: Owner, id: TopicId) => Effect.Effect<TopicRevision, TopicNotFound>
    /** Finds topics by reference, within the limits of `referenceLookupLimits`. */
    readonly byReference: (owner: Owner, reference: string) => Effect.Effect<TopicsFoundByReference, ReferenceNotFound>
    readonly list: (list: TopicQuery) => Effect.Effect<Page<ListedTopic>>
  }
>()("@partner-commentary/core/topic/Topics") {
  static readonly layer = Layer.effect(
    Topics,
    Effect.gen(function* () {
      const store = yield* TopicStore
      const personas = yield* PersonaStore
      const digest = yield* Digest.Digest
      const random = yield* SecureRandom.SecureRandom
      const policy = yield* Policy
      const signal = yield* WorkSignal

      /**
       * Returns the licensed personas whose creator has an email address. For a test key, the result includes the test
       * personas.
       */
      const licensedAmong = Effect.fnUntraced(function* (
        { environment, organization }: SubmittingCaller,
        requested: ReadonlyArray<PersonaId>,
        at: Instant.Instant
      ) {
        const asked = [...new Set(requested)]
        const simulated: ReadonlyArray<Persona> =
          environment === "test" ? asked.flatMap((id) => Option.toArray(findTestPersona(id))) : []
        const others = simulated.length === 0 ? asked : asked.filter((id) => Option.isNone(findTestPersona(id)))
        if (others.length === 0) return simulated
        const known = yield* dieOnInvalidPersonaIds(yield* personas.licensedAmong(organization.id, others, at))
        return [...simulated, ...known.filter(({ creator }) => creator.email !== "")]
      })

      return Topics.of({
        prepare: Effect.fnUntraced(function* (asker, wanted) {
          const { organization, environment, limits } = asker
          const problem = findTopicContentProblem(wanted.content, policy.contentLength)
          if (problem !== null) return yield* new InvalidContent({ problem })
          const content = wanted.content.trim()
          const createdAt = yield* Instant.now
          const licensed = yield* licensedAmong(asker, wanted.personaIds, createdAt)
          const shareIds: Array<ShareId> = []
          for (const _ of licensed) shareIds.push(yield* Ids.make(ShareId, random))
          const submission: Submission = {
            topic: {
              id: yield* Ids.make(TopicId, random),
              organizationId: organization.id,
              organizationName: organization.name,
              environment,
              externalReference: wanted.externalReference,
              content: content,
              metadata: wanted.metadata,
              outputTypes: wanted.outputTypes,
              webhookIds: wanted.webhookIds ?? null,
              createdAt
            },
            requested: wanted.personaIds,
            candidates: selectCandidateRecipients(wanted.personaIds, licensed, shareIds),
            fingerprint: yield* calculateTopicFingerprint(digest, content),
            windowUntil: Instant.plus(
              createdAt,
              environment === "test" ? policy.testDuplicateWindow : policy.duplicateWindow
            ),
            respondBy: wanted.respondBy ?? calculateInitialResponseDeadline(environment, createdAt, policy),
            isDeadlineFixed: wanted.respondBy !== undefined && wanted.respondBy !== null,
            quotas: environment === "test" ? null : limits,
            storage:
              environment === "test"
                ? { bytes: estimateMaxTopicBytes({ ...wanted, content }, licensed.length), limits: policy.testStorage }
                : null,
            actsAt: environment === "test" ? Instant.plus(createdAt, policy.testPace) : null
          }
          if (submission.candidates.length === 0) {
            return yield* new NoValidPersonas({ results: makeSubmissionResults(submission, new Map()) })
          }
          return submission
        }),

        submit: (submission) => {
          const { environment, id, organizationId } = submission.topic
          const firstStep = {
            kind: toAssignmentWorkKind(environment),
            at: submission.actsAt ?? submission.respondBy
          }
          const logContext = { organizationId, topicId: id }
          const submitted = LogContext.startSeparateTrace(store.submit(submission), "topic", id, logContext)
          return Effect.tap(
            LogContext.annotateSpansWithLogContext(submitted, logContext),
            signal.tell([firstStep, "mails"])
          )
        },

        progress: (owner, id) =>
          Effect.andThen(LogContext.addLogContextToSpan({ topicId: id }), orNotFound(store.progress(owner, id))),
        find: (owner, id) =>
          Effect.andThen(LogContext.addLogContextToSpan({ topicId: id }), orNotFound(store.find(owner, id))),
        revision: (owner, id) =>
          Effect.andThen(LogContext.addLogContextToSpan({ topicId: id }), orNotFound(store.revision(owner, id))),

        byReference: Effect.fnUntraced(function* (owner, reference) {
          const found = yield* store.byReference(owner, reference, referenceLookupLimits)
          return found.topics.length === 0 ? yield* new ReferenceNotFound({ reference }) : found
        }),

        list: store.list
      })
    })
  )
}

const orNotFound = <A>(found: Effect.Effect<Option.Option<A>>): Effect.Effect<A, TopicNotFound> =>
  Effect.flatMap(found, (option) => (Option.isSome(option) ? Effect.succeed(option.value) : new TopicNotFound()))
