/** Limits the call rate of partners by key, of dashboards by organization, and of anonymous callers by address. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Organization } from "../partner/Organization.ts"
import type { OrganizationLimits, PlanLimitName } from "../partner/Plan.ts"
import * as Instant from "../shared/Instant.ts"
import type { Principal } from "./ApiKeys.ts"
import { make, type RateLimitDecision, type RateWindowLimit, type RateWindowUsage } from "./FixedWindowRateLimiter.ts"
import { RateWindows } from "./RateWindows.ts"
import * as UnchangedResponseCredit from "./UnchangedResponseCredit.ts"

/** An endpoint limit applies to the requests of one endpoint in an hour. */
export type EndpointLimitName = Extract<
  PlanLimitName,
  "topic_submissions_per_hour" | "persona_lists_per_hour" | "topic_reads_per_hour"
>

/** The state of a rate window after a call was counted. */
const WindowState = Schema.Struct({
  /** The name of the limit in the plan, such as `requests_per_hour`. */
  policy: Schema.String,
  limit: Schema.Int,
  seconds: Schema.Int,
  remaining: Schema.Int,
  /**
   * The end of the rate window in milliseconds. `resetsAt` is a time instead of a duration, because a response can be
   * written long after the call was counted.
   */
  resetsAt: Schema.Number
})
export type NamedRateWindowUsage = typeof WindowState.Type

/** The state of the hourly window with the fewest remaining calls. `windows` holds the states of all windows. */
export interface RateLimitStatus extends RateWindowUsage {
  readonly windows: ReadonlyArray<NamedRateWindowUsage>
}

/**
 * The call was rejected and not counted. The fields of the error describe the rate window that is full. `state` holds
 * the values for rate-limit headers.
 */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  /** The number of whole seconds after which a retry can succeed. */
  retryAfter: Schema.Int,
  limit: Schema.Int,
  /** The counted unit in words, such as `requests a minute`. */
  counted: Schema.String,
  remaining: Schema.Int,
  state: Schema.Struct({
    limit: Schema.Int,
    remaining: Schema.Int,
    resetsAt: Schema.Number,
    windows: Schema.Array(WindowState)
  })
}) {}

/**
 * A rate window with the name of its limit. `counted` names the unit that the window counts, such as `requests a
 * minute`.
 */
interface CountedWindow extends RateWindowLimit {
  readonly policy: string
  readonly counted: string
}

/** Counts one call, or fails when a rate window is full. */
type CountCall = Effect.Effect<RateLimitStatus, RateLimited>

export class RateLimits extends Context.Service<
  RateLimits,
  {
    /**
     * Counts a call like `countConditional` if `isConditional` is true, and otherwise like `countKey`. `countNow` runs
     * synchronously and returns no effect. Returns undefined if a shared store counts the calls of all processes.
     */
    readonly countNow: (
      principal: Principal,
      endpoint: EndpointLimitName | undefined,
      isConditional: boolean,
      now: Instant.Instant
    ) => Result.Result<RateLimitStatus, RateLimited> | undefined
    /**
     * Counts an API call of a key. A key and its successors share rate windows. If an endpoint has its own limit, its
     * calls also count in a separate rate window.
     */
    readonly countKey: (principal: Principal, endpoint: EndpointLimitName | undefined) => CountCall
    /** Counts a conditional request, or spends the credit that earlier calls of `creditUnchanged` recorded. */
    readonly countConditional: (principal: Principal, endpoint: EndpointLimitName | undefined) => CountCall
    /**
     * Records credit for a response without a body. On average, one in ten requests that get a response without a body
     * is counted. Each node keeps a separate credit for conditional requests.
     */
    readonly creditUnchanged: (principal: Principal, endpoint: EndpointLimitName | undefined) => Effect.Effect<void>
    /** Counts one item of a bulk request against an endpoint's limit. */
    readonly countEndpoint: (principal: Principal, endpoint: EndpointLimitName) => CountCall
    readonly countDashboard: (organization: Organization, limits: OrganizationLimits) => CountCall
    /** Counts a new key. A new key has new rate windows, so the number of new keys needs a separate limit. */
    readonly countNewKey: (organization: Pick<Organization, "id">) => Effect.Effect<void, RateLimited>
    /** Counts a stored bulk response that contains only rejections, because no other limit applies to its storage. */
    readonly countStoredRefusals: (organization: Pick<Organization, "id">) => Effect.Effect<void, RateLimited>
    /**
     * Counts a call without a valid key, by the caller's address. Each node counts calls without a valid key
     * separately. A caller whose address is unknown has no limit.
     */
    readonly countAddress: (address: string) => CountCall
    /** Returns true if `countAddress` would reject the call. `isAddressLimited` does not count the call. */
    readonly isAddressLimited: (address: string) => Effect.Effect<boolean>
  }
>()("@partner-commentary/core/access/RateLimits") {
  static readonly layer = Layer.effect(
    RateLimits,
    Effect.gen(function* () {
      const windows = yield* RateWindows
      const anonymousWindows = make(anonymousCapacity)
      const credit = UnchangedResponseCredit.make(creditCapacity)
      const { takeNow } = windows
      const count = (wanted: ReadonlyArray<CountedWindow>) =>
        Effect.flatMap(windows.take(wanted), (taken) => countedAt(wanted, taken))

      /**
       * Stores the states of the windows for the headers of uncounted responses. A 304 response that is not counted
       * reports the states after the key's last counted request.
       */
      const remember = (lineageId: string, wanted: ReadonlyArray<CountedWindow>, isConditional: boolean) =>
        isConditional
          ? ({ states }: RateLimitDecision) => credit.note(lineageId, wanted, states)
          : ({ states }: RateLimitDecision) => credit.update(lineageId, wanted, states)

      const countOfKey = (lineageId: string, wanted: ReadonlyArray<CountedWindow>, isConditional = false) =>
        Effect.flatMap(windows.take(wanted), (taken) => {
          if (taken.admitted) remember(lineageId, wanted, isConditional)(taken)
          return countedAt(wanted, taken)
        })

      return RateLimits.of({
        countNow: (principal, endpoint, isConditional, now) => {
          if (takeNow === undefined) return undefined
          const wanted = keyWindows(principal, endpoint)
          const { lineageId } = principal.key
          const known = isConditional ? credit.spend(lineageId, wanted, now) : undefined
          if (known !== undefined) return resultOf(wanted, { admitted: true, states: known }, now)
          const taken = takeNow(wanted, now)
          if (taken.admitted) remember(lineageId, wanted, isConditional)(taken)
          return resultOf(wanted, taken, now)
        },
        countKey: (principal, endpoint) => countOfKey(principal.key.lineageId, keyWindows(principal, endpoint)),
        countConditional: (principal, endpoint) =>
          Effect.flatMap(Instant.now, (now) => {
            const wanted = keyWindows(principal, endpoint)
            const known = credit.spend(principal.key.lineageId, wanted, now)
            return known === undefined
              ? countOfKey(principal.key.lineageId, wanted, true)
              : Effect.fromResult(resultOf(wanted, { admitted: true, states: known }, now))
          }),
        creditUnchanged: (principal, endpoint) =>
          Effect.sync(() => credit.earn(principal.key.lineageId, keyWindows(principal, endpoint))),
        countEndpoint: ({ key, limits }, endpoint) =>
          countOfKey(key.lineageId, [endpointWindow(key.lineageId, limits, endpoint)]),
        countDashboard: ({ id }, limits) => count(caller(`dashboard ${id}`, limits)),
        countNewKey: ({ id }) =>
          Effect.asVoid(
            count([
              {
                name: `new keys ${id}`,
                limit: newKeys,
                seconds: day,
                policy: "new_keys_per_day",
                counted: "new keys a day"
              }
            ])
          ),
        countStoredRefusals: ({ id }) =>
          Effect.asVoid(
            count([
              {
                name: `stored refusals ${id}`,
                limit: storedRefusals,
                seconds: day,
                policy: "stored_refusals_per_day",
                counted: "bulk responses with only refusals a day"
              }
            ])
          ),
        countAddress: (address) =>
          Effect.flatMap(Instant.now, (now) => {
            const name = parseClientNetwork(address)
            const wanted = caller(name, anonymousLimits)
            return name === ""
              ? Effect.succeed(unlimited(now))
              : Effect.fromResult(resultOf(wanted, anonymousWindows.take(wanted, now), now))
          }),
        isAddressLimited: (address) =>
          Effect.map(Instant.now, (now) =>
            anonymousWindows.isFull(caller(parseClientNetwork(address), anonymousLimits), now)
          )
      })
    })
  )
}

const hour = 3600
const minute = 60
const day = 86_400

/**
 * Maximum number of keys that one organization may create or rotate in a day. The limit of new keys is five times the
 * maximum number of active keys.
 */
const newKeys = 100

/**
 * A bulk response that contains only rejections is stored at most this often for one organization in a day. A response
 * can have hundreds of kilobytes. The service keeps the response until its idempotency key expires.
 */
const storedRefusals = 200

const caller = (
  name: string,
  limits: Pick<OrganizationLimits, "requests_per_hour" | "burst_per_minute">
): ReadonlyArray<CountedWindow> => [
  { name, limit: limits.requests_per_hour, seconds: hour, policy: "requests_per_hour", counted: "requests an hour" },
  { name, limit: limits.burst_per_minute, seconds: minute, policy: "burst_per_minute", counted: "requests a minute" }
]

/** Caches the rate windows of each principal, so that each call of the principal reuses the windows. */
const windowsOf = new WeakMap<Principal, Map<EndpointLimitName | undefined, ReadonlyArray<CountedWindow>>>()

const keyWindows = (principal: Principal, endpoint: EndpointLimitName | undefined): ReadonlyArray<CountedWindow> => {
  const known = windowsOf.get(principal) ?? new Map()
  const present = known.get(endpoint)
  if (present !== undefined) return present
  const { key, limits } = principal
  const wanted = caller(key.lineageId, limits)
  const all = endpoint === undefined ? wanted : [...wanted, endpointWindow(key.lineageId, limits, endpoint)]
  windowsOf.set(principal, known.set(endpoint, all))
  return all
}

const endpointWindow = (name: string, limits: OrganizationLimits, endpoint: EndpointLimitName): CountedWindow => ({
  name: `${name} ${endpoint}`,
  limit: limits[endpoint],
  seconds: hour,
  policy: endpoint,
  counted: counted[endpoint]
})

const counted: Record<EndpointLimitName, string> = {
  topic_submissions_per_hour: "topics submitted an hour",
  persona_lists_per_hour: "lists of personas an hour",
  topic_reads_per_hour: "topics read an hour"
}

const anonymousLimits = { requests_per_hour: 300, burst_per_minute: 60 }

/** The result for a caller whose address is unknown. Callers with unknown addresses have no limit. */
const unlimited = (now: Instant.Instant): RateLimitStatus => ({
  limit: anonymousLimits.requests_per_hour,
  remaining: anonymousLimits.requests_per_hour,
  resetsAt: now + hour * 1000,
  windows: []
})

/** Maximum number of callers whose credit for conditional requests is in memory. */
const creditCapacity = 100_000

/** Maximum number of anonymous callers whose rate windows are in memory. */
const anonymousCapacity = 100_000

/**
 * Returns the network of an address; `""` for an invalid address. Callers of one network share a rate window. A network
 * is one IPv4 address or an IPv6 /64 range, which usually belongs to one customer. If a proxy sent no valid client
 * address, `address` is `unknown by ` and the proxy's address. If the client's address is unknown, the result is the
 * network of the proxy.
 */
export const parseClientNetwork = (address: string): string => {
  const parsed = NetAddress.ipFromString(address.replace(/^unknown by /, ""))
  if (Result.isFailure(parsed)) return ""
  const canonical = NetAddress.toCanonical(parsed.success)
  if (NetAddress.isIpv4Address(canonical)) return NetAddress.formatIp(canonical)
  return Result.match(IpNetwork.fromAddress(canonical, 64), { onFailure: () => "", onSuccess: IpNetwork.format })
}

const countedAt = (windows: ReadonlyArray<CountedWindow>, taken: RateLimitDecision): CountCall =>
  Effect.withFiber((fiber) =>
    Effect.fromResult(resultOf(windows, taken, fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()))
  )

/**
 * An admitted call reports the hourly window with the fewest remaining calls. A rejection reports the full window that
 * ends last.
 */
const resultOf = (
  windows: ReadonlyArray<CountedWindow>,
  { admitted, states }: RateLimitDecision,
  now: Instant.Instant
): Result.Result<RateLimitStatus, RateLimited> => {
  const windowStates = states.map(({ remaining, resetsAt }, index) => {
    const { limit, policy, seconds } = windows[index] as CountedWindow
    return { policy, limit, seconds, remaining, resetsAt }
  })
  let fewest: NamedRateWindowUsage | undefined
  for (const one of windowStates) {
    if (one.seconds === hour && (fewest === undefined || one.remaining < fewest.remaining)) fewest = one
  }
  const { limit, remaining, resetsAt } =
    fewest ?? states.reduce((least, other) => (other.remaining < least.remaining ? other : least))
  const state = { limit, remaining, resetsAt, windows: windowStates }
  if (admitted) return Result.succeed(state)
  const stood = states.map((one, index) => ({ ...one, ...(windows[index] as CountedWindow) }))
  const full = stood.filter((one) => one.remaining === 0)
  const longest = full.reduce((one, other) => (other.resetsAt > one.resetsAt ? other : one))
  const retryAfter = Math.max(1, Math.ceil((longest.resetsAt - now) / 1000))
  return Result.fail(
    new RateLimited({ retryAfter, limit: longest.limit, counted: longest.counted, remaining: 0, state })
  )
}
