/** Rate limits of partners by key, of dashboards by organization, and of anonymous callers by address. */
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
import { type FixedWindow, make, type RateLimitState, type Taken } from "./FixedWindows.ts"
import { RateWindows } from "./RateWindows.ts"

/** Limits of single endpoints, in requests an hour. */
export type EndpointLimit = Extract<
  LimitName,
  "topic_submissions_per_hour" | "persona_lists_per_hour" | "topic_reads_per_hour"
>

/** The call was not counted. The fields describe the exceeded window, `state` is for the rate-limit headers. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  /** Whole seconds until a retry may succeed. */
  retryAfter: Schema.Int,
  limit: Schema.Int,
  /** The counted unit, such as `requests a minute`. */
  counted: Schema.String,
  remaining: Schema.Int,
  state: Schema.Struct({ limit: Schema.Int, remaining: Schema.Int, resetsAt: Schema.Number })
}) {}

/** A window with the counted unit in words. */
interface Allowance extends FixedWindow {
  readonly counted: string
}

/** Counts one call. Returns the hourly window with the fewest calls left. */
type Count = Effect.Effect<RateLimitState, RateLimited>

export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** A key and its successors share windows. An endpoint with its own limit counts in a further one. */
    readonly ofKey: (principal: Principal, endpoint: EndpointLimit | undefined) => Count
    /** Counts one item of a bulk request against an endpoint's limit. */
    readonly ofEndpoint: (principal: Principal, endpoint: EndpointLimit) => Count
    readonly ofDashboard: (organization: Organization, limits: Limits) => Count
    /** A new key starts new windows, so that unlimited new keys would bypass the limits. */
    readonly ofNewKey: (organization: Pick<Organization, "id">) => Effect.Effect<void, RateLimited>
    /** A bulk response with only rejections is stored under its idempotency key but counts in no other limit. */
    readonly ofStoredRefusals: (organization: Pick<Organization, "id">) => Effect.Effect<void, RateLimited>
    /** Callers without a valid key. Counted by this node only; unknown addresses are not limited. */
    readonly ofAddress: (address: string) => Count
    /** Whether `ofAddress` would reject the call. Counts nothing. */
    readonly isBeyond: (address: string) => Effect.Effect<boolean>
  }
>()("@partner-commentary/core/access/RateLimits") {
  static readonly layer = Layer.effect(
    RateLimits,
    Effect.gen(function* () {
      const windows = yield* RateWindows
      const strangers = make(strangerCapacity)
      const count = (wanted: ReadonlyArray<Allowance>) =>
        Effect.flatMap(windows.take(wanted), (taken) => judged(wanted, taken))

      return RateLimits.of({
        ofKey: ({ key, limits }, endpoint) => {
          const wanted = caller(key.lineageId, limits)
          return count(endpoint === undefined ? wanted : [...wanted, endpointWindow(key.lineageId, limits, endpoint)])
        },
        ofEndpoint: ({ key, limits }, endpoint) => count([endpointWindow(key.lineageId, limits, endpoint)]),
        ofDashboard: ({ id }, limits) => count(caller(`dashboard ${id}`, limits)),
        ofNewKey: ({ id }) =>
          Effect.asVoid(count([{ name: `new keys ${id}`, limit: newKeys, seconds: day, counted: "new keys a day" }])),
        ofStoredRefusals: ({ id }) =>
          Effect.asVoid(
            count([
              {
                name: `stored refusals ${id}`,
                limit: storedRefusals,
                seconds: day,
                counted: "bulk answers of refusals alone a day"
              }
            ])
          ),
        ofAddress: (address) =>
          Effect.flatMap(Instant.now, (now) => {
            const name = neighbourhood(address)
            const wanted = caller(name, strangerLimits)
            return name === "" ? Effect.succeed(untouched(now)) : judged(wanted, strangers.take(wanted, now))
          }),
        isBeyond: (address) =>
          Effect.map(Instant.now, (now) => strangers.isFull(caller(neighbourhood(address), strangerLimits), now))
      })
    })
  )
}

const hour = 3600
const minute = 60
const day = 86_400

/** Creations and rotations of one organization in a day: five times the maximum number of active keys. */
const newKeys = 100

/**
 * For one organization in a day. Each response stays for the lifetime of its idempotency key and can have hundreds of
 * kilobytes.
 */
const storedRefusals = 200

const caller = (
  name: string,
  limits: Pick<Limits, "requests_per_hour" | "burst_per_minute">
): ReadonlyArray<Allowance> => [
  { name, limit: limits.requests_per_hour, seconds: hour, counted: "requests an hour" },
  { name, limit: limits.burst_per_minute, seconds: minute, counted: "requests a minute" }
]

const endpointWindow = (name: string, limits: Limits, endpoint: EndpointLimit): Allowance => ({
  name: `${name} ${endpoint}`,
  limit: limits[endpoint],
  seconds: hour,
  counted: counted[endpoint]
})

const counted: Record<EndpointLimit, string> = {
  topic_submissions_per_hour: "topics submitted an hour",
  persona_lists_per_hour: "lists of personas an hour",
  topic_reads_per_hour: "topics read an hour"
}

const strangerLimits = { requests_per_hour: 300, burst_per_minute: 60 }

/** For callers that cannot be told apart. */
const untouched = (now: Instant.Instant): RateLimitState => ({
  limit: strangerLimits.requests_per_hour,
  remaining: strangerLimits.requests_per_hour,
  resetsAt: now + hour * 1000
})

/** Maximum number of addresses in memory. */
const strangerCapacity = 100_000

/**
 * The network that shares a window: an IPv4 address, or an IPv6 /64, which belongs to one customer. Empty for an
 * invalid address. The prefix `unknown by` is ignored.
 */
export const neighbourhood = (address: string): string => {
  const parsed = NetAddress.ipFromString(address.replace(/^unknown by /, ""))
  if (Result.isFailure(parsed)) return ""
  const canonical = NetAddress.toCanonical(parsed.success)
  if (NetAddress.isIpv4Address(canonical)) return NetAddress.formatIp(canonical)
  return Result.match(IpNetwork.fromAddress(canonical, 64), { onFailure: () => "", onSuccess: IpNetwork.format })
}

/** Reports the full window that ends last. */
const judged = (windows: ReadonlyArray<Allowance>, { admitted, states }: Taken): Count =>
  Effect.flatMap(Instant.now, (now) => {
    const stood = states.map((state, index) => ({ ...state, ...(windows[index] as Allowance) }))
    const told = stood.filter(({ seconds }) => seconds === hour)
    const { limit, remaining, resetsAt } = (told.length === 0 ? stood : told).reduce((fewest, other) =>
      other.remaining < fewest.remaining ? other : fewest
    )
    const state = { limit, remaining, resetsAt }
    if (admitted) return Effect.succeed(state)
    const full = stood.filter(({ remaining }) => remaining === 0)
    const longest = full.reduce((one, other) => (other.resetsAt > one.resetsAt ? other : one))
    const retryAfter = Math.max(1, Math.ceil((longest.resetsAt - now) / 1000))
    return Effect.fail(
      new RateLimited({ retryAfter, limit: longest.limit, counted: longest.counted, remaining: 0, state })
    )
  })
