/**
 * What a request or a job is about, for its logs and traces. A topic and an event each have a span whose ids follow from their own id:
 * any process can link to it, days later, without anything being stored.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import { type EventId, type OrganizationId, ShareId, TopicId } from "./Ids.ts"

export interface Subject {
  readonly organizationId?: OrganizationId | null | undefined
  readonly topicId?: TopicId | null | undefined
  readonly shareId?: ShareId | null | undefined
}

/** The ids that a span is to have, for the tracer that a host mounts. */
export class SpanIdentity extends Context.Service<
  SpanIdentity,
  { readonly traceId: string; readonly spanId: string }
>()("@partner-commentary/core/shared/SpanIdentity") {}

/** Ids of ours are UUIDs of version 7: the second half is random. */
const identityOf = (id: TopicId | EventId) => {
  const traceId = id.replaceAll("-", "")
  return { traceId, spanId: traceId.slice(16) }
}

const linkTo = (id: TopicId | EventId): Tracer.SpanLink => ({
  span: Tracer.externalSpan({ ...identityOf(id), sampled: true }),
  attributes: {}
})

const linkOnce = (span: Tracer.Span, id: TopicId | EventId): void => {
  const { spanId, traceId } = identityOf(id)
  const isLinked = span.links.some(({ span: other }) => other.spanId === spanId && other.traceId === traceId)
  if (!isLinked) span.addLinks([linkTo(id)])
}

const isKnown = <Id>(id: Id | null | undefined): id is Id => id !== null && id !== undefined

/** As attributes of a span (`topic.id`) and as annotations of a log line (`topic_id`). */
export const named = (subject: Subject, separator: "." | "_"): Record<string, string> =>
  Object.fromEntries(
    [
      ["organization", subject.organizationId],
      ["topic", subject.topicId],
      ["share", subject.shareId]
    ].flatMap(([name, id]) => (isKnown(id) ? [[`${name}${separator}id`, id]] : []))
  )

/** Whether anybody sees spans: where nobody does, they cost nothing. */
const whereTraced =
  <A, E, R>(traced: (self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
  (self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => (fiber.getRef(References.TracerEnabled) ? traced(self) : self))

/** Names the subject on the present span and on those that it is within, and links the present one to the topic's. */
export const mark = (subject: Subject): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    if (!fiber.getRef(References.TracerEnabled)) return Effect.void
    const present = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
    const attributes = Object.entries(named(subject, "."))
    for (let span = present; span?._tag === "Span"; span = Option.getOrUndefined(span.parent)) {
      for (const [key, value] of attributes) span.attribute(key, value)
    }
    if (present?._tag === "Span" && isKnown(subject.topicId)) linkOnce(present, subject.topicId)
    return Effect.void
  })

/** Of an event's payload, which is read where a log line or a span needs it. */
export const ofPayload = (payload: string, organizationId: OrganizationId) => (): Subject => {
  const data = Option.getOrUndefined(Schema.decodeOption(Payload)(payload))?.data
  return { organizationId, topicId: data?.topic_id, shareId: data?.share_id }
}

const Payload = Schema.fromJsonString(Schema.Struct({ data: Schema.Struct({ topic_id: TopicId, share_id: ShareId }) }))

/** `mark` for a delivery: linked to the event's span, which is linked to the topic's. */
export const markEvent = (id: EventId, subject: () => Subject): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    if (!fiber.getRef(References.TracerEnabled)) return Effect.void
    const present = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
    if (present?._tag === "Span") linkOnce(present, id)
    return mark(subject())
  })

/** `mark`, and the subject on each span within. */
export const traced = <A, E, R>(self: Effect.Effect<A, E, R>, subject: Subject): Effect.Effect<A, E, R> =>
  whereTraced<A, E, R>((effect) => Effect.andThen(mark(subject), Effect.annotateSpans(effect, named(subject, "."))))(
    self
  )

/** `traced`, and the subject on each log line within: for jobs. */
export const about = <A, E, R>(self: Effect.Effect<A, E, R>, subject: Subject): Effect.Effect<A, E, R> =>
  Effect.annotateLogs(traced(self, subject), named(subject, "_"))

/**
 * Around what makes a topic or an event: its own span, the first of a trace of its own, linked both ways with the span of the request
 * or the job that makes it.
 */
export const origin = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  name: string,
  id: TopicId | EventId,
  subject: Subject
): Effect.Effect<A, E, R> =>
  whereTraced<A, E, R>((effect) =>
    Effect.withFiber((fiber) => {
      const present = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
      const own = present?._tag === "Span" && present.sampled ? present : undefined
      const isTopic = (id as string) === subject.topicId
      const span = Effect.useSpan(
        name,
        {
          root: true,
          annotations: Context.make(SpanIdentity, identityOf(id)),
          attributes: named(subject, "."),
          links: [
            ...(own === undefined ? [] : [{ span: own, attributes: {} }]),
            ...(isKnown(subject.topicId) && !isTopic ? [linkTo(subject.topicId)] : [])
          ]
        },
        () => effect
      )
      // A topic's is linked by what marks its subject.
      if (!isTopic) own?.addLinks([linkTo(id)])
      return span
    })
  )(self)
