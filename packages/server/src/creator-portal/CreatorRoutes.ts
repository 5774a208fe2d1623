/**
 * Serves the creators' pages below `/creator`, as HTML for browsers and as JSON for programs. A GET request never
 * changes an assignment. Logs and traces contain the route, never the creator's token.
 */
import { InvalidRequest, NotFound, RateLimitExceeded, serviceBusyResponse } from "@partner-commentary/api/Errors"
import { CreatorPortal } from "@partner-commentary/core/creator/CreatorPortal"
import { isCausedByDatabaseBusy } from "@partner-commentary/core/shared/DatabaseBusy"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as LogContext from "@partner-commentary/core/shared/LogContext"
import { Policy } from "@partner-commentary/core/shared/Policy"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import type { AssignmentWithTopic } from "@partner-commentary/core/topic/AssignmentStore"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { parseServicePathPrefix } from "../http/Address.ts"
import * as Envelope from "../http/Envelope.ts"
import { defaultAvatarPath } from "../routes/personas/Avatar.ts"
import { creatorActions, performCreatorAction, readCreatorActionFields } from "./CreatorAction.ts"
import { renderCreatorPage } from "./CreatorPage.ts"
import {
  type CreatorRequestTarget,
  formatCreatorRouteForLogs,
  parseCreatorTarget,
  prefersJson
} from "./CreatorRequest.ts"
import { toCreatorPageJson } from "./CreatorView.ts"
import { busyPage, internalErrorPage, notFoundPage, renderTooManyRequestsPage } from "./ErrorPage.ts"
import { renderInboxPage } from "./InboxPage.ts"
import { pageResponseHeaders } from "./PageDocument.ts"
import { type ActionRefusal, type CreatorActionError, toActionRefusal } from "./Refusal.ts"
import * as TokenRateLimiter from "./TokenRateLimiter.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The maximum number of requests a minute with one creator link. */
const limit = 60

/**
 * The query parameter `said=desk` tells the page that an inbox link was just mailed. Creators' pages have no query
 * parameter except `said`.
 */
const inboxMailedQuery = "?said=desk"

const page = (html: string, status = 200): Response =>
  HttpServerResponse.text(html, { status, contentType: "text/html; charset=utf-8" })

const seeOther = (address: string): Response => HttpServerResponse.redirect(address, { status: 303 })

const notFound = (json: boolean): Response =>
  json
    ? Envelope.makeFailureResponse(NotFound.of("There is no such creator link, or it is no longer valid."))
    : page(notFoundPage, 404)

/** The JSON response when no creator page or action exists at the path for the method. */
const noSuchRequest = Envelope.makeFailureResponse(
  NotFound.of(
    `There is nothing at this path for this method: GET shows a creator's link, and POST to its ${[...creatorActions, "desk"].map((action) => `/${action}`).join(", ")} acts.`
  )
)

const tooMany = (json: boolean, seconds: number): Response =>
  json
    ? Envelope.makeFailureResponse(
        RateLimitExceeded.of({ retry_after: seconds, limit, remaining: 0 }, "requests a minute")
      )
    : HttpServerResponse.setHeader(page(renderTooManyRequestsPage(seconds), 429), "retry-after", String(seconds))

const routes = Effect.gen(function* () {
  const portal = yield* CreatorPortal
  const policy = yield* Policy
  const headers = yield* pageResponseHeaders
  const { apiRoot } = yield* PublicAddress
  const avatar = apiRoot + defaultAvatarPath
  const window = TokenRateLimiter.make({ limit, seconds: 60, capacity: 10_000 })
  /** The path of the creators' pages has no scheme and host, so that the pages work under every host name. */
  const root = `${parseServicePathPrefix(apiRoot)}/creator`

  const show = Effect.fnUntraced(function* (
    token: string,
    view: AssignmentWithTopic,
    options: { readonly refusal?: ActionRefusal; readonly inboxMailed?: boolean }
  ) {
    const now = yield* Instant.now
    const { inboxMailed = false, refusal = null } = options
    const { maxDrafts, readingWindow } = policy
    const html = renderCreatorPage({
      ...view,
      address: `${root}/${token}`,
      now,
      maxDrafts,
      readingWindow,
      refusal,
      inboxMailed
    })
    return page(html, refusal === null ? 200 : 400)
  })

  const look = (request: HttpServerRequest, token: string, json: boolean) =>
    portal.view({ token }).pipe(
      Effect.flatMap((view) =>
        json
          ? Effect.succeed(Envelope.makeSuccessResponse(toCreatorPageJson(view, avatar)))
          : show(token, view, { inboxMailed: request.url.endsWith(inboxMailedQuery) })
      ),
      Effect.catchTag("LinkInvalid", () =>
        Effect.map(portal.openRequests({ token }), (open) =>
          json
            ? Envelope.makeSuccessResponse({
                requests: open.requests.map((each) => ({ ...toCreatorPageJson(each, avatar), link: each.link })),
                further: open.further
              })
            : page(renderInboxPage(open))
        )
      )
    )

  const mailInboxLink = Effect.fnUntraced(function* (token: string, json: boolean) {
    const view = yield* portal.view({ token })
    yield* portal.mailInboxLink(token)
    return json
      ? Envelope.makeSuccessResponse(toCreatorPageJson(view, avatar))
      : seeOther(`${root}/${token}${inboxMailedQuery}`)
  })

  const act = Effect.fnUntraced(function* (
    request: HttpServerRequest,
    { action, token }: CreatorRequestTarget & { readonly at: "action" },
    json: boolean
  ) {
    if (action === "desk") return yield* mailInboxLink(token, json)
    const input = yield* Effect.result(readCreatorActionFields(request))
    const enteredText = input._tag === "Success" ? input.success : {}
    const refuse = (reason: CreatorActionError) =>
      Effect.map(portal.view({ token }), (view) => ({
        view,
        refusal: toActionRefusal(action, reason, view.assignment, enteredText)
      }))
    const done = yield* Effect.fromResult(input).pipe(
      Effect.flatMap((fields) => performCreatorAction(portal, { token }, action, fields)),
      Effect.map((view) => ({ view, refusal: null })),
      // Load the assignment again, because another request may have changed the assignment.
      Effect.catchTags({ TextLength: refuse, Malformed: refuse, ActionRefused: refuse })
    )
    if (done.refusal === null)
      return json ? Envelope.makeSuccessResponse(toCreatorPageJson(done.view, avatar)) : seeOther(`${root}/${token}`)
    return json
      ? Envelope.makeFailureResponse(InvalidRequest.of([done.refusal.problem]))
      : yield* show(token, done.view, { refusal: done.refusal })
  })

  const answer = Effect.fnUntraced(function* (request: HttpServerRequest, target: CreatorRequestTarget) {
    const json = prefersJson(request)
    if (json && (target.at === "notFound" || target.at === "reloadedAction")) return noSuchRequest
    if (target.at === "notFound") return notFound(json)
    if (target.at === "reloadedAction") return seeOther(`${root}/${target.token}`)
    // Count only requests with genuine links, so that invalid links cannot evict the rate windows of genuine links.
    if (!(yield* portal.isGenuine(target.token))) return notFound(json)
    const seconds = yield* window.take(target.token)
    if (seconds > 0) return tooMany(json, seconds)
    const answered = target.at === "page" ? look(request, target.token, json) : act(request, target, json)
    return yield* answered.pipe(
      Effect.catchTag("LinkInvalid", () => Effect.succeed(notFound(json))),
      json ? identity : Effect.catchDefect(failed(formatCreatorRouteForLogs(target)))
    )
  })

  return HttpRouter.route("*", "/creator/*", (request) =>
    Effect.flatMap(HttpRouter.params, (params) => {
      const target = parseCreatorTarget(request.method, params["*"] ?? "")
      return answer(request, target).pipe(
        observed(request.method, formatCreatorRouteForLogs(target)),
        HttpEffect.withPreResponseHandler((_, response) =>
          Effect.succeed(HttpServerResponse.setHeaders(response, headers))
        )
      )
    })
  )
})

/** Handles a defect during a browser's request: logs the defect and returns an HTML error page. */
const failed = (route: string) => (defect: unknown) =>
  Effect.as(
    LogContext.annotateLogsWithLogContext(
      Effect.annotateLogs(Effect.logError("A creator page failed", Cause.die(defect)), { route })
    ),
    isCausedByDatabaseBusy(defect) ? busyResponse : page(internalErrorPage, 500)
  )

const busyResponse = HttpServerResponse.setHeader(
  page(busyPage, serviceBusyResponse.status),
  "retry-after",
  String(serviceBusyResponse.retryAfter)
)

/**
 * Creates the trace span and the log line of the route. The HTTP server's own span and log line would contain the
 * token.
 */
const observed =
  (method: string, route: string) =>
  <E, R>(self: Effect.Effect<Response, E, R>) =>
    self.pipe(
      Effect.tap(({ status }) =>
        Effect.andThen(
          Effect.annotateCurrentSpan("http.response.status_code", status),
          LogContext.annotateLogsWithLogContext(
            Effect.annotateLogs(Effect.logDebug("Creator page"), { method, route, status })
          )
        )
      ),
      Effect.withSpan(`${method} ${route}`, {
        kind: "server",
        attributes: { "http.request.method": method, "http.route": route }
      }),
      HttpMiddleware.withLoggerDisabled
    )

export const layer = HttpRouter.addAll(Effect.map(routes, (route) => [route]))
