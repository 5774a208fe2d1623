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
import type { LimitName, Limits } from "../partner/Plan.ts"
import * as Instant from "../shared/Instant.ts"
import type { Principal } from "./ApiKeys.ts"
import { type CountResult, type FixedWindow, make, type RateLimitState } from "./FixedWindows.ts"
import { RateWindows } from "./RateWindows.ts"
import * as UnchangedCredit from "./UnchangedCredit.ts"

/** The limits of single endpoints in requests an hour. */
export type EndpointLimit = Extract<
  LimitName,
  "topic_submissions_per_hour" | "persona_lists_per_hour" | "topic_reads_per_hour"
>

/** The state of a rate window that counted a call. */
const WindowState = Schema.Struct({
  /** The name of the limit, as operators configure it. */
  policy: Schema.String,
  limit: Schema.Int,
  seconds: Schema.Int,
  remaining: Schema.Int,
  /**
   * The end of the window in milliseconds since 1970. A duration would be wrong if the response is written long after
   * the call was counted.
   */
  resetsAt: Schema.Number
})
export type WindowState = typeof WindowState.Type

/** The state of the hourly window with the fewest calls left, and the states of all windows. */
export interface CountedCall extends RateLimitState {
  readonly windows: ReadonlyArray<WindowState>
}

/**
 * The call exceeded a rate limit and was not counted. The fields describe the exceeded window. `state` contains the
 * values of the rate-limit headers.
 */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  /** The number of whole seconds until a retry may succeed. */
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

/** A rate window with the name of its limit and the counted unit in words. */
interface CountedWindow extends FixedWindow {
  readonly policy: string
  readonly counted: string
}

/** Counts one call, or fails when a window is full. */
type CountCall = Effect.Effect<CountedCall, RateLimited>

export class RateLimits extends Context.Service<
  RateLimits,
  {
    /**
     * Counts as `countKey` or `countConditional` does, but synchronously. Returns undefined where several processes
     * share the windows.
     */
    readonly countNow: (
      principal: Principal,
      endpoint: EndpointLimit | undefined,
      isConditional: boolean,
      now: Instant.Instant
    ) => Result.Result<CountedCall, RateLimited> | undefined
    /**
     * Counts a call of a key. A key and its successors share windows. An endpoint with its own limit also has its own
     * window.
     */
    readonly countKey: (principal: Principal, endpoint: EndpointLimit | undefined) => CountCall
    /** Counts as `countKey` does, for a request that may call `creditUnchanged` afterwards. */
    readonly countConditional: (principal: Principal, endpoint: EndpointLimit | undefined) => CountCall
    /**
     * Records a response without a body. On average, only a tenth of such requests counts. Each node stores its own
     * credit.
     */
    readonly creditUnchanged: (principal: Principal, endpoint: EndpointLimit | undefined) => Effect.Effect<void>
    /** Counts one item of a bulk request for an endpoint's limit. */
    readonly countEndpoint: (principal: Principal, endpoint: EndpointLimit) => CountCall
    readonly countDashboard: (organization: Organization, limits: Limits) => CountCall
    /** Counts a new key. A new key starts new rate windows, so a separate limit applies to the number of new keys. */
    readonly countNewKey: (organization: Pick<Organization, "id">) => Effect.Effect<void, RateLimited>
    /**
     * Counts a bulk response that contains only rejections. The service stores such a response with its idempotency
     * key, and no other limit counts the response.
     */
    readonly countStoredRefusals: (organization: Pick<Organization, "id">) => Effect.Effect<void, RateLimited>
    /**
     * Counts calls without a valid key by address. Each node counts separately. A caller without a known address has no
     * limit.
     */
    readonly countAddress: (address: string) => CountCall
    /** Returns whether `countAddress` would reject the call. This check counts nothing. */
    readonly isAddressLimited: (address: string) => Effect.Effect<boolean>
  }
>()("@partner-commentary/core/access/RateLimits") {
  static readonly layer = Layer.effect(
    RateLimits,
    Effect.gen(function* () {
      const windows = yield* RateWindows
      const anonymousWindows = make(anonymousCapacity)
      const credit = UnchangedCredit.make(creditCapacity)
      const { takeNow } = windows
      const count = (wanted: ReadonlyArray<CountedWindow>) =>
        Effect.flatMap(windows.take(wanted), (taken) => countedAt(wanted, taken))

      /**
       * The rate-limit headers of an uncounted 304 response describe the windows after the key's last counted request.
       */
      const remember = (lineageId: string, wanted: ReadonlyArray<CountedWindow>, isConditional: boolean) =>
        isConditional
          ? ({ states }: CountResult) => credit.note(lineageId, wanted, states)
          : ({ states }: CountResult) => credit.update(lineageId, wanted, states)

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
            const name = networkOf(address)
            const wanted = caller(name, anonymousLimits)
            return name === ""
              ? Effect.succeed(unlimited(now))
              : Effect.fromResult(resultOf(wanted, anonymousWindows.take(wanted, now), now))
          }),
        isAddressLimited: (address) =>
          Effect.map(Instant.now, (now) => anonymousWindows.isFull(caller(networkOf(address), anonymousLimits), now))
      })
    })
  )
}

const hour = 3600
const minute = 60
const day = 86_400

/**
 * The maximum number of keys that one organization may create or rotate in a day. This is five times the maximum number
 * of active keys.
 */
const newKeys = 100

/**
 * The maximum number of stored bulk responses with only rejections for one organization in a day. A stored response can
 * have hundreds of kilobytes and lasts as long as its idempotency key.
 */
const storedRefusals = 200

const caller = (
  name: string,
  limits: Pick<Limits, "requests_per_hour" | "burst_per_minute">
): ReadonlyArray<CountedWindow> => [
  { name, limit: limits.requests_per_hour, seconds: hour, policy: "requests_per_hour", counted: "requests an hour" },
  { name, limit: limits.burst_per_minute, seconds: minute, policy: "burst_per_minute", counted: "requests a minute" }
]

/** Caches the windows of each cached principal. */
const windowsOf = new WeakMap<Principal, Map<EndpointLimit | undefined, ReadonlyArray<CountedWindow>>>()

const keyWindows = (principal: Principal, endpoint: EndpointLimit | undefined): ReadonlyArray<CountedWindow> => {
  const known = windowsOf.get(principal) ?? new Map()
  const present = known.get(endpoint)
  if (present !== undefined) return present
  const { key, limits } = principal
  const wanted = caller(key.lineageId, limits)
  const all = endpoint === undefined ? wanted : [...wanted, endpointWindow(key.lineageId, limits, endpoint)]
  windowsOf.set(principal, known.set(endpoint, all))
  return all
}

const endpointWindow = (name: string, limits: Limits, endpoint: EndpointLimit): CountedWindow => ({
  name: `${name} ${endpoint}`,
  limit: limits[endpoint],
  seconds: hour,
  policy: endpoint,
  counted: counted[endpoint]
})

const counted: Record<EndpointLimit, string> = {
  topic_submissions_per_hour: "topics submitted an hour",
  persona_lists_per_hour: "lists of personas an hour",
  topic_reads_per_hour: "topics read an hour"
}

const anonymousLimits = { requests_per_hour: 300, burst_per_minute: 60 }

/** The result for callers with an unknown address, who have no limit. */
const unlimited = (now: Instant.Instant): CountedCall => ({
  limit: anonymousLimits.requests_per_hour,
  remaining: anonymousLimits.requests_per_hour,
  resetsAt: now + hour * 1000,
  windows: []
})

/** Maximum number of callers with conditional requests that the credit cache holds. */
const creditCapacity = 100_000

/** Maximum number of addresses that the counters for anonymous callers hold. */
const anonymousCapacity = 100_000

/**
 * Returns the network whose callers share a window: an IPv4 address, or an IPv6 /64, which belongs to one customer. An
 * invalid address results in an empty text. The function first removes the prefix `unknown by`.
 */
export const networkOf = (address: string): string => {
  const parsed = NetAddress.ipFromString(address.replace(/^unknown by /, ""))
  if (Result.isFailure(parsed)) return ""
  const canonical = NetAddress.toCanonical(parsed.success)
  if (NetAddress.isIpv4Address(canonical)) return NetAddress.formatIp(canonical)
  return Result.match(IpNetwork.fromAddress(canonical, 64), { onFailure: () => "", onSuccess: IpNetwork.format })
}

const countedAt = (windows: ReadonlyArray<CountedWindow>, taken: CountResult): CountCall =>
  Effect.withFiber((fiber) =>
    Effect.fromResult(resultOf(windows, taken, fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()))
  )

/** If several windows are full, the result describes the window that ends last. */
const resultOf = (
  windows: ReadonlyArray<CountedWindow>,
  { admitted, states }: CountResult,
  now: Instant.Instant
): Result.Result<CountedCall, RateLimited> => {
  const windowStates = states.map(({ remaining, resetsAt }, index) => {
    const { limit, policy, seconds } = windows[index] as CountedWindow
    return { policy, limit, seconds, remaining, resetsAt }
  })
  let fewest: WindowState | undefined
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
