/**
 * Handles requests about topics. Each handler decodes the request, calls one use case and maps errors to responses.
 */

import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import { referenceConstraint } from "@partner-commentary/api/CreateTopicBody"
import * as Errors from "@partner-commentary/api/Errors"
import { PartnerApi, partnerApiPrefix } from "@partner-commentary/api/PartnerApi"
import type { Topic } from "@partner-commentary/api/TopicsApi"
import { toOwner } from "@partner-commentary/core/access/Ownership"
import * as Ids from "@partner-commentary/core/shared/Ids"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import { formatPageCursor } from "@partner-commentary/core/shared/Page"
import { Policy } from "@partner-commentary/core/shared/Policy"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { makeTopicChangeSignal } from "@partner-commentary/core/shared/WorkSignal"
import { isExternalReference } from "@partner-commentary/core/topic/Topic"
import { TopicCancellation } from "@partner-commentary/core/topic/TopicCancellation"
import type { TopicProgress, TopicRevision } from "@partner-commentary/core/topic/TopicStore"
import { type TopicNotFound, Topics } from "@partner-commentary/core/topic/Topics"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Option from "effect/Option"
import { parseServicePathPrefix } from "../../http/Address.ts"
import { failWithInvalidRequest } from "../../http/Body.ts"
import * as EntityTag from "../../http/EntityTag.ts"
import * as Envelope from "../../http/Envelope.ts"
import { addPreferenceAppliedHeader, parsePreferredWaitSeconds } from "../../http/Preference.ts"
import * as ViewCache from "../../http/ViewCache.ts"
import * as IdempotentRequests from "../../middleware/IdempotentRequests.ts"
import * as LongPolling from "../../middleware/LongPolling.ts"
import { hasSemicolonOrHash } from "../../middleware/Responses.ts"
import { defaultAvatarPath } from "../personas/Avatar.ts"
import { makeTopicBodyDecoder } from "./TopicBody.ts"
import { readTopicListQuery } from "./TopicListQuery.ts"
import * as TopicSubmission from "./TopicSubmission.ts"
import * as Views from "./TopicViews.ts"

export const layer = HttpApiBuilder.group(
  PartnerApi,
  "topics",
  Effect.fnUntraced(function* (handlers) {
    const topics = yield* Topics
    const cancellation = yield* TopicCancellation
    const { apiRoot } = yield* PublicAddress
    const avatar = apiRoot + defaultAvatarPath
    const decodeTopic = makeTopicBodyDecoder((yield* Policy).contentLength)
    const submissions = yield* TopicSubmission.make
    const answerOnce = yield* IdempotentRequests.make
    const tags = yield* EntityTag.make
    const wait = yield* LongPolling.make
    const cache = ViewCache.make()

    /**
     * Returns one of a topic's views as a response. If the request has an entity tag or the view is cached, the handler
     * first reads the topic's revision, because a revision is cheaper to read than a view.
     */
    const view = <A extends { readonly revision: TopicRevision }>(
      name: string,
      { params, request }: Asked,
      find: (owner: Owner, id: Ids.TopicId) => Effect.Effect<A, TopicNotFound>,
      render: (found: A) => unknown,
      tagOf: (revision: TopicRevision) => EntityTag.EntityTag = tags.ofTopic
    ) =>
      one(params.id, (owner, id) => {
        const known = request.headers["if-none-match"]
        const key = `${name} ${id}`
        const cached = refusesCache(request) ? undefined : cache.get(key)
        const fresh = () =>
          Effect.map(find(owner, id), (found) => {
            const [tag, text] = [tagOf(found.revision), Envelope.formatSuccessJson(render(found))]
            cache.set(key, { tag, text })
            return Envelope.makeJsonResponse(text, 200, { etag: tag })
          })
        if (known === undefined && cached === undefined) return fresh()
        return Effect.flatMap(topics.revision(owner, id), (revision) => {
          const tag = tagOf(revision)
          if (EntityTag.matchesIfNoneMatch(known, tag)) return Effect.succeed(EntityTag.makeNotModifiedResponse(tag))
          return cached?.tag === tag
            ? Effect.succeed(Envelope.makeJsonResponse(cached.text, 200, { etag: tag }))
            : fresh()
        })
      })

    const created = (topic: typeof Topic.Type) =>
      Envelope.makeSuccessResponse(topic, 201, {
        location: `${parseServicePathPrefix(apiRoot)}${partnerApiPrefix}/topics/${topic.topic_id}`
      })

    const status = (found: TopicProgress) =>
      Envelope.makeSuccessResponse(Views.toTopicProgress(found), 200, { etag: tags.ofStatus(found.revision) })

    /**
     * Waits until the status of a topic changes. Without an entity tag from the caller, the service compares each read
     * with the revision of the first read.
     */
    const waitForStatus = ({ params, request }: Asked) =>
      one(
        params.id,
        Effect.fnUntraced(function* (owner, id) {
          const known = request.headers["if-none-match"]
          let last: TopicRevision | undefined
          const look = Effect.gen(function* () {
            const before = last
            last = yield* topics.revision(owner, id)
            const isUnchanged =
              known === undefined
                ? before === undefined || before === last
                : EntityTag.matchesIfNoneMatch(known, tags.ofStatus(last))
            return isUnchanged ? Option.none() : Option.some(status(yield* topics.progress(owner, id)))
          })
          const seconds = parsePreferredWaitSeconds(request.headers["prefer"])
          const changed = yield* wait(request, { change: makeTopicChangeSignal(id), seconds, pool: "frequent", look })
          if (Option.isSome(changed)) return addPreferenceAppliedHeader(changed.value)
          if (known !== undefined)
            return addPreferenceAppliedHeader(EntityTag.makeNotModifiedResponse(tags.ofStatus(last ?? "")))
          return addPreferenceAppliedHeader(status(yield* topics.progress(owner, id)))
        })
      )

    return handlers
      .handleRaw(
        "create",
        Effect.fnUntraced(function* ({ headers, request }) {
          const principal = yield* CurrentPrincipal
          return yield* answerOnce({ headers, request, owner: toOwner(principal) }, ({ once }) =>
            Effect.gen(function* () {
              const body = yield* decodeTopic(request)
              const submission = yield* submissions.prepare(principal, body)
              return yield* once(Effect.map(submissions.submit(submission), created))
            })
          )
        })
      )
      .handle(
        "list",
        Effect.fnUntraced(function* ({ query, request }) {
          const owner = toOwner(yield* CurrentPrincipal)
          const { cursor, limit, offset, filter, sortKey } = yield* readTopicListQuery(query)
          const page = yield* topics.list({ owner, ...filter, limit, from: cursor === null ? { offset } : { cursor } })
          const pagination = {
            limit,
            offset,
            total: page.total,
            next_cursor: Option.getOrNull(Option.map(page.next, (next) => formatPageCursor(next, sortKey)))
          }
          const tag = yield* tags.ofList(
            page.items.map(({ id, revision }) => id + revision),
            pagination
          )
          if (EntityTag.matchesIfNoneMatch(request.headers["if-none-match"], tag))
            return EntityTag.makeNotModifiedResponse(tag)
          const data = page.items.map(Views.formatTopicSummaryJson).join()
          const body = `{"success":true,"data":[${data}],"pagination":${JSON.stringify(pagination)}}`
          return Envelope.makeJsonResponse(body, 200, { etag: tag })
        })
      )
      .handle("find", (asked) => view("detail", asked, topics.find, (found) => Views.toTopicDetail(found, avatar)))
      .handle("progress", (asked) =>
        parsePreferredWaitSeconds(asked.request.headers["prefer"]) === 0
          ? view("progress", asked, topics.progress, Views.toTopicProgress, tags.ofStatus)
          : waitForStatus(asked)
      )
      .handleRaw(
        "cancel",
        Effect.fnUntraced(function* ({ headers, params, request }) {
          const principal = yield* CurrentPrincipal
          const cancelled = one(params.id, (_, id) => cancellation.cancel(principal, id))
          return yield* answerOnce({ headers, request, owner: toOwner(principal) }, ({ once }) =>
            once(Effect.map(cancelled, (found) => Envelope.makeSuccessResponse(Views.toTopicProgress(found))))
          )
        })
      )
      .handle("commentaries", (asked) =>
        view("commentaries", asked, topics.find, (found) => Views.toTopicCommentaries(found, avatar))
      )
      .handle(
        "byReference",
        Effect.fnUntraced(function* ({ params: { ref }, request }) {
          const owner = toOwner(yield* CurrentPrincipal)
          if (!isExternalReference(ref) || hasSemicolonOrHash(request.url)) {
            return yield* failWithInvalidRequest({ field: "ref", constraint: referenceConstraint })
          }
          const answer = Effect.map(topics.byReference(owner, ref), (found) =>
            Envelope.makeSuccessResponse(Views.toReferenceLookup(ref, found, avatar))
          )
          return yield* Effect.catchTag(answer, "ReferenceNotFound", ({ reference }) =>
            Effect.fail(Errors.NotFound.of(`No topic has the external reference ${reference}.`))
          )
        })
      )
  })
)

const refusesCache = ({ headers }: HttpServerRequest): boolean => /\bno-cache\b/i.test(headers["cache-control"] ?? "")

interface Asked {
  readonly params: { readonly id: string }
  readonly request: HttpServerRequest
}

/** A malformed id, an unknown topic and another owner's topic give the same response. */
const one = <A, R = never>(
  id: string,
  find: (owner: Owner, id: Ids.TopicId) => Effect.Effect<A, { readonly _tag: "TopicNotFound" }, R>
): Effect.Effect<A, Errors.NotFound, CurrentPrincipal | R> =>
  Effect.flatMap(CurrentPrincipal, (principal) => {
    const topicId = Ids.parse(Ids.TopicId, id)
    if (Option.isNone(topicId)) return Effect.fail(Errors.topicNotFound)
    return Effect.mapError(find(toOwner(principal), topicId.value), () => Errors.topicNotFound)
  })
