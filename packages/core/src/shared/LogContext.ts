/**
 * Logs and traces contain the log context of a request or job: the ids of its organization, topic and assignment. The
 * span ids of a topic or event are derived from the UUID, so that any process can link to the span later without stored
 * span ids.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import { type EventId, type OrganizationId, ShareId, TopicId } from "./Ids.ts"

export interface LogContext {
  readonly organizationId?: OrganizationId | null | undefined
  readonly topicId?: TopicId | null | undefined
  readonly shareId?: ShareId | null | undefined
}

/**
 * The log context that a running request or job has collected so far. Log lines about a failed request or job contain
 * the collected log context.
 */
export type MutableLogContext = { -readonly [Part in keyof LogContext]: LogContext[Part] }

/** The collector to which `addLogContextToSpan` writes; null if no log context is collected. */
export const LogContextCollector = Context.Reference<MutableLogContext | null>(
  "@partner-commentary/reference/LogContextCollector",
  {
    defaultValue: () => null
  }
)

/**
 * Adds values to the collected log context. A request about several topics, such as a bulk submission, has no topic in
 * its log context.
 */
const collect = (into: MutableLogContext, { organizationId, shareId, topicId }: LogContext): void => {
  if (isKnown(organizationId)) into.organizationId = organizationId
  if (isKnown(topicId)) into.topicId = sameOrNull(into.topicId, topicId)
  if (isKnown(shareId)) into.shareId = sameOrNull(into.shareId, shareId)
}

const sameOrNull = <Id>(present: Id | null | undefined, next: Id): Id | null =>
  present === undefined || present === next ? next : null

/** Replaces the collected log context, for a job that handles several topics in sequence. */
export const replaceLogContext = (logContext: LogContext): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    Object.assign(
      fiber.getRef(LogContextCollector) ?? {},
      { organizationId: null, topicId: null, shareId: null },
      logContext
    )
    return Effect.void
  })

/** The fixed trace and span ids of a new span. The host's tracer reads the ids from `PredefinedSpanIds`. */
export class PredefinedSpanIds extends Context.Service<
  PredefinedSpanIds,
  { readonly traceId: string; readonly spanId: string }
>()("@partner-commentary/core/shared/PredefinedSpanIds") {}

/**
 * Derives the trace id and span id from a UUID of version 7. The second half of a version 7 UUID is random, so the
 * function uses this half as the span id.
 */
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

/** Returns the log context as span attributes such as `topic.id`, or as log annotations such as `topic_id`. */
export const formatLogContextAttributes = (logContext: LogContext, separator: "." | "_"): Record<string, string> =>
  Object.fromEntries(
    [
      ["organization", logContext.organizationId],
      ["topic", logContext.topicId],
      ["share", logContext.shareId]
    ].flatMap(([name, id]) => (isKnown(id) ? [[`${name}${separator}id`, id]] : []))
  )

/** Adds the log context that was collected so far to the effect's log lines. */
export const annotateLogsWithLogContext = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) =>
    Effect.annotateLogs(self, formatLogContextAttributes(fiber.getRef(LogContextCollector) ?? {}, "_"))
  )

/** Applies a tracing function to an effect, but only when tracing is on. */
const whereTraced =
  <A, E, R>(traced: (self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
  (self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => (fiber.getRef(References.TracerEnabled) ? traced(self) : self))

/** Collects the log context for later log lines. Returns whether tracing is on. */
const note = (fiber: Fiber.Fiber<unknown, unknown>, logContext: LogContext): boolean => {
  const collected = fiber.getRef(LogContextCollector)
  if (collected !== null) collect(collected, logContext)
  return fiber.getRef(References.TracerEnabled)
}

/**
 * Collects the log context for later log lines. Adds the log context to the current span and its parents, and links the
 * current span to the topic's span.
 */
export const addLogContextToSpan = (logContext: LogContext): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    if (!note(fiber, logContext)) return Effect.void
    const present = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
    const attributes = Object.entries(formatLogContextAttributes(logContext, "."))
    for (let span = present; span?._tag === "Span"; span = Option.getOrUndefined(span.parent)) {
      for (const [key, value] of attributes) span.attribute(key, value)
    }
    if (present?._tag === "Span" && isKnown(logContext.topicId)) linkOnce(present, logContext.topicId)
    return Effect.void
  })

/**
 * Returns a function that reads the log context from an event's payload. The event's payload is parsed only when a log
 * line or span needs the log context.
 */
export const makePayloadLogContextReader = (payload: string, organizationId: OrganizationId) => (): LogContext => {
  const data = Option.getOrUndefined(Schema.decodeOption(Payload)(payload))?.data
  return { organizationId, topicId: data?.topic_id, shareId: data?.share_id }
}

const Payload = Schema.fromJsonString(Schema.Struct({ data: Schema.Struct({ topic_id: TopicId, share_id: ShareId }) }))

/**
 * Marks the span of a delivery like `addLogContextToSpan`, but links the span to the event's span. The event's span
 * links to the topic's span.
 */
export const markDeliverySpan = (id: EventId, logContext: () => LogContext): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    if (!fiber.getRef(References.TracerEnabled)) return Effect.void
    const present = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
    if (present?._tag === "Span") linkOnce(present, id)
    return addLogContextToSpan(logContext())
  })

/** Marks the current span and all its child spans with the log context. */
export const annotateSpansWithLogContext = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  logContext: LogContext
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) =>
    note(fiber, logContext)
      ? Effect.andThen(
          addLogContextToSpan(logContext),
          Effect.annotateSpans(self, formatLogContextAttributes(logContext, "."))
        )
      : self
  )

/**
 * Works like `annotateSpansWithLogContext`, and also adds the log context to each log line of the effect. Jobs use
 * `annotateSpansAndLogsWithLogContext`.
 */
export const annotateSpansAndLogsWithLogContext = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  logContext: LogContext
): Effect.Effect<A, E, R> =>
  Effect.annotateLogs(annotateSpansWithLogContext(self, logContext), formatLogContextAttributes(logContext, "_"))

/**
 * Creates the span of a new topic or event. The span of a topic or event starts a separate trace. The new span and the
 * span of the creating request or job link to each other.
 */
export const startSeparateTrace = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  name: string,
  id: TopicId | EventId,
  logContext: LogContext
): Effect.Effect<A, E, R> =>
  whereTraced<A, E, R>((effect) =>
    Effect.withFiber((fiber) => {
      const present = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
      const own = present?._tag === "Span" && present.sampled ? present : undefined
      const isTopic = (id as string) === logContext.topicId
      const span = Effect.useSpan(
        name,
        {
          root: true,
          annotations: Context.make(PredefinedSpanIds, identityOf(id)),
          attributes: formatLogContextAttributes(logContext, "."),
          links: [
            ...(own === undefined ? [] : [{ span: own, attributes: {} }]),
            ...(isKnown(logContext.topicId) && !isTopic ? [linkTo(logContext.topicId)] : [])
          ]
        },
        () => effect
      )
      // Link only events here, because `addLogContextToSpan` adds the links to topics.
      if (!isTopic) own?.addLinks([linkTo(id)])
      return span
    })
  )(self)
