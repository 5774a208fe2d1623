/** Provides `pc.topics`, which submits topics on behalf of a partner and reads the results. */

import { type CreateTopicBody, referenceConstraint } from "@partner-commentary/api/CreateTopicBody"
import * as Errors from "@partner-commentary/api/Errors"
import { PartnerApproval } from "@partner-commentary/core/commentary/PartnerApproval"
import { formatPageCursor } from "@partner-commentary/core/shared/Page"
import { Policy } from "@partner-commentary/core/shared/Policy"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { isExternalReference } from "@partner-commentary/core/topic/Topic"
import { TopicCancellation } from "@partner-commentary/core/topic/TopicCancellation"
import type { TopicStatus } from "@partner-commentary/core/topic/TopicStatus"
import { type TopicNotFound, Topics } from "@partner-commentary/core/topic/Topics"
import { defaultAvatarPath } from "@partner-commentary/server/routes/personas/Avatar"
import { makeTopicJsonDecoder } from "@partner-commentary/server/routes/topics/TopicBody"
import { readTopicListQuery } from "@partner-commentary/server/routes/topics/TopicListQuery"
import * as TopicSubmission from "@partner-commentary/server/routes/topics/TopicSubmission"
import * as Views from "@partner-commentary/server/routes/topics/TopicViews"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { HostDate } from "../ports/Moment.ts"
import {
  CommentaryIdInput,
  type DataOwner,
  makeDecoder,
  makeNotFoundError,
  ownerFields,
  type RunUseCase,
  readOrganizationAsCaller,
  TopicIdInput,
  type TransactionOption,
  toDataOwner,
  toJsonText
} from "./UseCase.ts"

export type NewTopic = typeof CreateTopicBody.Encoded & DataOwner

export interface ListTopicsInput extends DataOwner {
  /** One status or several statuses. Topics with any of the given statuses are listed. */
  readonly status?: TopicStatus | ReadonlyArray<TopicStatus> | undefined
  /** Your own reference of the topics. The filters `external_reference` and `status` cannot be combined. */
  readonly external_reference?: string | undefined
  readonly created_after?: HostDate | string | undefined
  readonly created_before?: HostDate | string | undefined
  /**
   * Only topics that changed after `updated_after` are listed, in the order of their last change. The filter
   * `updated_after` cannot be combined with other filters.
   */
  readonly updated_after?: HostDate | string | undefined
  /** The order of the topics. The default order is `desc`, which lists the newest topics first. */
  readonly order?: "asc" | "desc" | undefined
  /** The number of topics on a page, from 1 to 100. The default page size is 20. */
  readonly limit?: number | undefined
  /** The `next_cursor` of an earlier page. */
  readonly cursor?: string | undefined
}

const submitted = makeDecoder(Schema.Struct(ownerFields))
const one = makeDecoder(Schema.Struct({ ...ownerFields, topic_id: TopicIdInput }))
const accepted = makeDecoder(
  Schema.Struct({ ...ownerFields, topic_id: TopicIdInput, commentary_id: CommentaryIdInput })
)

const referenced = makeDecoder(
  Schema.Struct({
    ...ownerFields,
    external_reference: Schema.String.check(Schema.makeFilter(isExternalReference, { message: referenceConstraint }))
  })
)

/** Converts a value to the text form of the API's query parameters. */
const queryText = (value: unknown): string =>
  Predicate.isDate(value) && Number.isFinite(value.getTime()) ? value.toISOString() : String(value)

/** Decodes the filters by the same rules as the API's query parameters. */
const readListFilters = ({ environment: _, organization_id: __, ...filters }: ListTopicsInput) =>
  readTopicListQuery(
    Object.fromEntries(
      Object.entries(filters)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, queryText(value)])
    )
  )

const avatar = PublicAddress.use(({ apiRoot }) => Effect.succeed(apiRoot + defaultAvatarPath))

const notFound = <A, R>(found: Effect.Effect<A, TopicNotFound, R>) => Effect.mapError(found, () => Errors.topicNotFound)

export const makeTopicUseCases = (run: RunUseCase) => ({
  /**
   * Submits a topic. Rejects with `no_valid_personas` if the topic cannot be sent to any of the personas. The topic
   * counts towards the partner's quotas, as if the partner had submitted the topic through the API.
   */
  submit: (topic: NewTopic, options?: TransactionOption) =>
    run(
      Effect.gen(function* () {
        const submitter = yield* readOrganizationAsCaller(yield* submitted(topic))
        const decode = makeTopicJsonDecoder((yield* Policy).contentLength)
        const body = yield* Effect.mapError(decode(yield* toJsonText(topic)), Errors.InvalidRequest.of)
        const submissions = yield* TopicSubmission.make
        return yield* submissions.submit(yield* submissions.prepare(submitter, body))
      }),
      options
    ),

  /**
   * Cancels a topic. If a creator has not answered the request yet, the service closes the request and sends the
   * creator a mail. Requests that a creator has already answered continue. Returns the minimal view of the topic.
   */
  cancel: (topic: DataOwner & { readonly topic_id: string }, options?: TransactionOption) =>
    run(
      Effect.gen(function* () {
        const owned = yield* one(topic)
        const canceller = { ...(yield* readOrganizationAsCaller(owned)), key: null }
        return Views.toTopicProgress(
          yield* notFound(TopicCancellation.use(({ cancel }) => cancel(canceller, owned.topic_id)))
        )
      }),
      options
    ),

  /**
   * Records that the partner accepts an approved commentary for publication. A repeated call changes nothing, and
   * returns the time of the first acceptance.
   */
  approve: (
    commentary: DataOwner & { readonly topic_id: string; readonly commentary_id: string },
    options?: TransactionOption
  ) =>
    run(
      Effect.gen(function* () {
        const owned = yield* accepted(commentary)
        const approver = { ...(yield* readOrganizationAsCaller(owned)), key: null }
        const { commentary_id, topic_id } = owned
        const approved = yield* Effect.catchTags(
          PartnerApproval.use(({ approve }) => approve(approver, topic_id, commentary_id)),
          {
            TopicNotFound: () => Effect.fail(Errors.topicNotFound),
            CommentaryNotFound: () => Effect.fail(Errors.commentaryNotFound)
          }
        )
        return Views.toPartnerApprovedCommentary(topic_id, approved, yield* avatar)
      }),
      options
    ),

  /** Reads a topic with all its results. */
  find: (topic: DataOwner & { readonly topic_id: string }) =>
    run(
      Effect.gen(function* () {
        const owned = yield* one(topic)
        const found = yield* notFound((yield* Topics).find(toDataOwner(owned), owned.topic_id))
        return Views.toTopicDetail(found, yield* avatar)
      })
    ),

  /** Reads the minimal view of a topic, for polling. */
  progress: (topic: DataOwner & { readonly topic_id: string }) =>
    run(
      Effect.gen(function* () {
        const owned = yield* one(topic)
        return Views.toTopicProgress(yield* notFound((yield* Topics).progress(toDataOwner(owned), owned.topic_id)))
      })
    ),

  /** Reads all topics with the given external reference. */
  byReference: (topic: DataOwner & { readonly external_reference: string }) =>
    run(
      Effect.gen(function* () {
        const owned = yield* referenced(topic)
        const found = (yield* Topics).byReference(toDataOwner(owned), owned.external_reference)
        const known = yield* Effect.catchTag(found, "ReferenceNotFound", () => Effect.fail(makeNotFoundError("topic")))
        return Views.toReferenceLookup(owned.external_reference, known, yield* avatar)
      })
    ),

  /** Reads a page of topics, newest first unless `order` or `updated_after` is set. */
  list: (list: ListTopicsInput) =>
    run(
      Effect.gen(function* () {
        const owned = yield* submitted(list)
        const { cursor, filter, limit, sortKey } = yield* readListFilters(list)
        yield* readOrganizationAsCaller(owned)
        const owner = toDataOwner(owned)
        const from = cursor === null ? { offset: 0 } : { cursor }
        const page = yield* (yield* Topics).list({ owner, ...filter, limit, from })
        const next_cursor = Option.getOrNull(Option.map(page.next, (next) => formatPageCursor(next, sortKey)))
        return { topics: page.items.map(Views.toTopicSummary), total: page.total, next_cursor }
      })
    )
})
