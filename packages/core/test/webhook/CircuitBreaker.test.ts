/**
 * These tests check the exact limits at which failures cause a warning to the contact, disable the webhook or open its
 * circuit breaker. The tests also check the probes of an open circuit breaker. After the circuit breaker closes, the
 * backlog is sent at a limited rate.
 */
import { EventId, OrganizationId, WebhookId } from "@partner-commentary/core/shared/Ids"
import { defaults as policy } from "@partner-commentary/core/shared/WebhookPolicy"
import type { DeliveryAttempt } from "@partner-commentary/core/webhook/Attempt"
import * as CircuitBreaker from "@partner-commentary/core/webhook/CircuitBreaker"
import { describe, expect, it } from "vitest"

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const start = 1_772_355_600_000

const id = (number: number) => `019c0e1b-7c4e-7000-8000-${String(number).padStart(12, "0")}`
const event = (number: number) => EventId.make(id(number))

const fresh: CircuitBreaker.ReceiverState = {
  webhook: {
    id: WebhookId.make(id(1)),
    owner: { organizationId: OrganizationId.make(id(2)), environment: "live" },
    url: "https://example.com/",
    events: ["creator.approved"],
    status: "active",
    consecutiveFailures: 0,
    lastDeliveryAt: null,
    createdAt: start,
    updatedAt: start
  },
  health: CircuitBreaker.healthyState,
  quietUntil: null
}

const attempt = (at: number, changes: Partial<DeliveryAttempt> = {}): DeliveryAttempt => ({
  at,
  duration: 10,
  status: 500,
  failure: "http",
  reason: "No.",
  excerpt: "",
  retryAfter: null,
  ...changes
})
const success = (at: number) => attempt(at, { status: 200, failure: null, reason: null })
const unreached = (at: number, failure: DeliveryAttempt["failure"]) =>
  attempt(at, { status: null, excerpt: null, failure })

interface Step {
  readonly attempt: DeliveryAttempt
  readonly event?: number
  readonly probe?: boolean
}

/** Runs attempts in sequence. Attempts alternate between two events unless a step specifies an event. */
const after = (steps: ReadonlyArray<Step>, from: CircuitBreaker.ReceiverState = fresh) => {
  const alarms: Array<CircuitBreaker.ContactAlertReason | null> = []
  let receiver = from
  for (const [index, step] of steps.entries()) {
    const judged = CircuitBreaker.updateAfterAttempt(
      receiver,
      { attempt: step.attempt, eventId: event(step.event ?? index % 2), probe: step.probe ?? false },
      step.attempt.at + step.attempt.duration,
      policy
    )
    receiver = judged.receiver
    alarms.push(judged.alarm)
  }
  return { receiver, alarms, alarm: alarms.at(-1) }
}

/**
 * Returns `count` failed attempts. The last attempt starts `span` milliseconds later than all others, which start
 * together. The attempts alternate between `events` different events.
 */
const failures = (count: number, span: number, events = 2): ReadonlyArray<Step> =>
  Array.from({ length: count }, (_, index) => ({
    attempt: attempt(start + (index === count - 1 ? span : 0)),
    event: index % events
  }))

it("lastDeliveryAt is the start of the latest attempt, even if an earlier attempt is recorded afterwards", () => {
  const late = [{ attempt: success(start + minute) }, { attempt: success(start) }]
  expect(after(late).receiver.webhook.lastDeliveryAt).toBe(start + minute)
  expect(after(late.toReversed()).receiver.webhook.lastDeliveryAt).toBe(start + minute)
})

describe("Disabling a webhook", () => {
  const alarmAfter = (steps: ReadonlyArray<Step>) => after(steps).alarm

  it("a webhook is disabled after exactly 20 consecutive failures over 24 hours for 2 events", () => {
    expect(alarmAfter(failures(20, 24 * hour))).toBe("disabled")
    expect(alarmAfter(failures(19, 24 * hour))).toBe("failing")
    expect(alarmAfter(failures(20, 24 * hour - 1))).toBe("failing")
    expect(alarmAfter(failures(20, 24 * hour, 1))).toBe("failing")
    expect(after(failures(20, 24 * hour)).receiver.webhook).toMatchObject({
      status: "disabled",
      consecutiveFailures: 20
    })
    expect(after(failures(19, 99 * hour)).receiver.webhook.status).toBe("active")
  })

  it("a webhook is disabled when its last failure limit is reached, and later failures cause no second alert", () => {
    const many = failures(50, hour)
    expect(after(many).alarm).toBe(null)
    const late = after([...many, { attempt: attempt(start + 30 * hour) }, { attempt: attempt(start + 31 * hour) }])
    expect(late.alarms.slice(-2)).toEqual(["disabled", null])
  })

  it("only failures since the last success count towards disabling a webhook", () => {
    const broken = [...failures(19, 23 * hour), { attempt: success(start + 23 * hour) }]
    const { alarm, receiver } = after([...broken, { attempt: attempt(start + 24 * hour) }])
    expect(alarm).toBe(null)
    expect(receiver.webhook).toMatchObject({ consecutiveFailures: 1, status: "active" })
    expect(receiver.health.failingSince).toBe(start + 24 * hour)
  })

  it("a 410 response disables a webhook immediately, even a paused webhook", () => {
    const gone = { attempt: attempt(start, { status: 410 }) }
    expect(after([gone])).toMatchObject({ alarm: "gone", receiver: { webhook: { status: "disabled" } } })
    const paused = { ...fresh, webhook: { ...fresh.webhook, status: "paused" as const } }
    expect(after([gone], paused).receiver.webhook.status).toBe("disabled")
    const disabled = { ...fresh, webhook: { ...fresh.webhook, status: "disabled" as const } }
    expect(after([gone], disabled).alarm).toBe(null)
  })

  it("429 responses, and attempts for which signing was impossible, do not count towards disabling a webhook", () => {
    const busy = Array.from({ length: 100 }, (_, index) => ({
      attempt: attempt(start + index * hour, { status: 429 })
    }))
    expect(after(busy)).toMatchObject({ alarm: null, receiver: { webhook: { consecutiveFailures: 0 } } })
    const between = [...failures(19, 24 * hour), ...busy]
    expect(after(between).receiver.webhook.consecutiveFailures).toBe(19)
    const unsigned = after([{ attempt: unreached(start, "unsigned") }])
    expect(unsigned.receiver).toBe(fresh)
  })

  it("failures do not disable a paused webhook", () => {
    const paused = { ...fresh, webhook: { ...fresh.webhook, status: "paused" as const } }
    expect(after(failures(40, 99 * hour), paused).receiver.webhook.status).toBe("paused")
  })
})

describe("Warnings to the contact", () => {
  it("the contact is warned once after 10 failures over 12 hours, and can be warned again only after a success", () => {
    expect(after(failures(10, 12 * hour)).alarm).toBe("failing")
    expect(after(failures(10, 12 * hour, 1)).alarm).toBe("failing")
    expect(after(failures(9, 12 * hour)).alarm).toBe(null)
    expect(after(failures(10, 12 * hour - 1)).alarm).toBe(null)
    const again = after([...failures(10, 12 * hour), { attempt: attempt(start + 13 * hour) }])
    expect(again.alarms.filter((alarm) => alarm !== null)).toEqual(["failing"])
    expect(again.receiver.health.warned).toBe(true)
    const recovered = after([...failures(10, 12 * hour), { attempt: success(start + 13 * hour) }])
    expect(recovered.receiver.health).toEqual({
      ...CircuitBreaker.healthyState,
      draining: { since: start + 13 * hour + 10, sent: 0 }
    })
  })
})

describe("Receivers that answer 429", () => {
  const busy = (at: number) => ({ attempt: attempt(at, { status: 429, retryAfter: "60" }) })

  it("a receiver that answered 429 gets no delivery before the pause ends, even if a delivery in flight succeeds", () => {
    const { receiver } = after([busy(start), { attempt: success(start) }])
    const until = start + 10 + minute
    expect(receiver.quietUntil).toBe(until)
    expect(CircuitBreaker.calculateDeliveryAllowance(receiver, 0, until - 1, policy).limit).toBe(0)
    expect(CircuitBreaker.calculateDeliveryAllowance(receiver, 0, until, policy).limit).toBe(policy.concurrency)
  })

  it("the first success after a pause removes all restrictions of a receiver that answered 429", () => {
    const paused = after([busy(start)]).receiver
    expect(CircuitBreaker.isUnrestricted(paused)).toBe(false)
    expect(CircuitBreaker.isUnrestricted(after([{ attempt: success(start + 2 * minute) }], paused).receiver)).toBe(true)
  })

  it("a manual retry ends only pauses that the circuit breaker or a 429 caused", () => {
    const suspended = { ...fresh, quietUntil: start + minute }
    expect(CircuitBreaker.updateAfterManualRetry(suspended).quietUntil).toBe(start + minute)
  })

  it("if a receiver answers 429 while the backlog is sent at a limited rate, the limit continues after the pause", () => {
    const before = CircuitBreaker.startBacklogRateLimit(fresh, start)
    const { receiver } = after([busy(start)], before)
    const until = start + 10 + minute
    expect(CircuitBreaker.updateAfterClaim(receiver, { limit: 0, count: 0 }, start + second, policy)).toBe(receiver)
    expect(receiver.health.draining).toEqual({ since: until, sent: 0 })
    expect(CircuitBreaker.calculateDeliveryAllowance(receiver, 0, until, policy).limit).toBe(policy.concurrency)
  })

  it("a manual retry ends the pause of a receiver that answered 429", () => {
    expect(CircuitBreaker.updateAfterManualRetry(after([busy(start)]).receiver).quietUntil).toBe(null)
  })

  it("429 responses cause no mail to the contact while the partner has paused the webhook", () => {
    const long = { attempt: attempt(start, { status: 429, retryAfter: "7200" }) }
    expect(after([long]).alarm).toBe("throttled")
    const paused = { ...fresh, webhook: { ...fresh.webhook, status: "paused" as const } }
    expect(after([long], paused).alarm).toBe(null)
  })
})

describe("Circuit breaker", () => {
  const isOpen = (steps: ReadonlyArray<Step>) => after(steps).receiver.health.probes !== null
  const open = after(failures(10, 0)).receiver

  it("the circuit breaker opens after 10 consecutive failures of 2 events, but not for failures of a single event", () => {
    expect(isOpen(failures(10, 0))).toBe(true)
    expect(isOpen(failures(9, 0))).toBe(false)
    expect(isOpen(failures(100, hour, 1))).toBe(false)
  })

  it("the circuit breaker opens immediately when the deliveries of 3 events reached no server", () => {
    for (const failure of ["refused", "dns", "tls", "timeout"] as const) {
      const steps = [1, 2, 3].map((number) => ({ attempt: unreached(start, failure), event: number }))
      expect(isOpen(steps)).toBe(true)
      expect(isOpen(steps.slice(0, 2))).toBe(false)
      expect(isOpen([...steps.slice(0, 2), ...steps.slice(0, 2)])).toBe(false)
    }
    for (const failure of ["reset", "http", "blocked"] as const) {
      expect(isOpen([1, 2, 3].map((number) => ({ attempt: unreached(start, failure), event: number })))).toBe(false)
    }
  })

  it("an open circuit breaker sends one probe at a time, with delays that double from 60 s to 30 minutes", () => {
    let receiver = open
    let now = start + 10
    const waits: Array<number> = []
    for (let probes = 0; probes < 8; probes++) {
      const at = receiver.quietUntil ?? 0
      waits.push((at - now) / second)
      expect(CircuitBreaker.calculateDeliveryAllowance(receiver, 0, at - 1, policy)).toEqual({ limit: 0, probe: true })
      expect(CircuitBreaker.calculateDeliveryAllowance(receiver, 0, at, policy)).toEqual({ limit: 1, probe: true })
      expect(CircuitBreaker.calculateDeliveryAllowance(receiver, 1, at, policy)).toEqual({ limit: 0, probe: true })
      receiver = after([{ attempt: attempt(at), probe: true }], receiver).receiver
      now = at + 10
    }
    expect(waits).toEqual([60, 120, 240, 480, 960, 1800, 1800, 1800])
    expect(receiver.webhook.consecutiveFailures).toBe(18)
  })

  it("failed probes of the circuit breaker count towards disabling the webhook", () => {
    const probes = Array.from({ length: 10 }, (_, index) => ({
      attempt: attempt(start + (index + 1) * 2.4 * hour),
      probe: true
    }))
    expect(after(probes, open).alarm).toBe("disabled")
    expect(after(probes.slice(0, 9), open).receiver.webhook.status).toBe("active")
  })

  it("an open circuit breaker ignores attempts that started before the opening, and stays open if a probe gets 429", () => {
    const straggler = after([{ attempt: attempt(start + second) }], open).receiver
    expect(straggler.quietUntil).toBe(open.quietUntil)
    const busy = after([{ attempt: attempt(start + minute, { status: 429 }), probe: true }], open).receiver
    expect(busy.quietUntil).toBe(start + minute + 10 + 2 * minute)
    expect(busy.health.probes).toBe(1)
  })

  it("the opening of the circuit breaker does not shorten a pause after 429", () => {
    const busy = after([{ attempt: attempt(start, { status: 429, retryAfter: "86400" }) }]).receiver
    const opened = after(failures(10, 0), busy).receiver
    expect(opened.health.probes).toBe(0)
    expect(opened.quietUntil).toBe(busy.quietUntil)
  })

  it("after one success, the circuit breaker closes, and the number of deliveries allowed per second starts at 10 and doubles each second", () => {
    const closed = after([{ attempt: success(start + minute), probe: true }], open).receiver
    const since = start + minute + 10
    expect(closed).toMatchObject({ quietUntil: null, webhook: { consecutiveFailures: 0 }, health: { probes: null } })
    const sent: Array<number> = []
    let receiver = closed
    for (let second = 0; second < 7; second++) {
      const now = since + second * 1000
      let count = 0
      for (let limit = 1; limit > 0; ) {
        limit = CircuitBreaker.calculateDeliveryAllowance(receiver, 0, now, policy).limit
        count += limit
        if (limit > 0) receiver = CircuitBreaker.updateAfterClaim(receiver, { limit, count: limit }, now, policy)
      }
      sent.push(count)
      expect(receiver.quietUntil).toBe(now + 1000)
      expect(CircuitBreaker.calculateDeliveryAllowance(receiver, 0, now + 999, policy).limit).toBe(0)
    }
    expect(sent).toEqual([10, 20, 40, 80, 160, 320, 640])
    const over = CircuitBreaker.updateAfterClaim(receiver, { limit: 5, count: 5 }, since + 7000, policy)
    expect(over).toMatchObject({ quietUntil: null, health: { draining: null } })
    expect(CircuitBreaker.calculateDeliveryAllowance(over, 0, since + 7000, policy).limit).toBe(5)
  })

  it("the rate limit for the backlog ends when fewer deliveries are due than allowed", () => {
    const closed = after([{ attempt: success(start + minute), probe: true }], open).receiver
    expect(
      CircuitBreaker.updateAfterClaim(closed, { limit: 5, count: 4 }, start + 2 * minute, policy).health.draining
    ).toBe(null)
  })
})

describe("Number of allowed deliveries", () => {
  it("a healthy receiver may have 5 concurrent deliveries, a failing receiver 1, and a paused or disabled receiver 0", () => {
    expect(CircuitBreaker.calculateDeliveryAllowance(fresh, 0, start, policy)).toEqual({ limit: 5, probe: false })
    expect(CircuitBreaker.calculateDeliveryAllowance(fresh, 3, start, policy).limit).toBe(2)
    expect(CircuitBreaker.calculateDeliveryAllowance(fresh, 7, start, policy).limit).toBe(0)
    const failing = after(failures(1, 0)).receiver
    expect(CircuitBreaker.calculateDeliveryAllowance(failing, 0, start, policy).limit).toBe(1)
    expect(CircuitBreaker.calculateDeliveryAllowance(failing, 1, start, policy).limit).toBe(0)
    for (const status of ["paused", "disabled"] as const) {
      expect(
        CircuitBreaker.calculateDeliveryAllowance({ ...fresh, webhook: { ...fresh.webhook, status } }, 0, start, policy)
          .limit
      ).toBe(0)
    }
    const quiet = { ...fresh, quietUntil: start }
    expect(CircuitBreaker.calculateDeliveryAllowance(quiet, 0, start - 1, policy).limit).toBe(0)
    expect(CircuitBreaker.calculateDeliveryAllowance(quiet, 0, start, policy).limit).toBe(5)
  })

  it("a claim of deliveries changes the state of a receiver only while the backlog is sent at a limited rate", () => {
    expect(CircuitBreaker.updateAfterClaim(fresh, { limit: 5, count: 5 }, start, policy)).toBe(fresh)
  })
})

describe("Recovery of a receiver", () => {
  it("a recovery limits the rate of the backlog, unless the circuit breaker is open or the rate is already limited", () => {
    const begun = CircuitBreaker.startBacklogRateLimit(fresh, start)
    expect(begun.health.draining).toEqual({ since: start, sent: 0 })
    expect(CircuitBreaker.calculateDeliveryAllowance(begun, 0, start, policy).limit).toBe(5)
    expect(
      CircuitBreaker.calculateDeliveryAllowance(
        { ...begun, health: { ...begun.health, draining: { since: start, sent: 10 } } },
        0,
        start,
        policy
      ).limit
    ).toBe(0)
    expect(CircuitBreaker.startBacklogRateLimit(begun, start + second)).toBe(begun)
    const open = { ...fresh, health: { ...CircuitBreaker.healthyState, probes: 2 } }
    expect(CircuitBreaker.startBacklogRateLimit(open, start)).toBe(open)
  })
})

describe("Clock corrections", () => {
  const month = 30 * 24 * hour

  it("after the clock is set back, the contact is warned about further failures without extra delay", () => {
    const before = after(failures(9, 0)).receiver
    const first = attempt(start - month)
    const put = after([{ attempt: first }, { attempt: attempt(start - month + 12 * hour) }], before)
    expect(put.receiver.health.failingSince).toBe(start - month)
    expect(put.alarm).toBe("failing")
  })

  it("after the clock is set back, the rate limit for the backlog ends instead of blocking deliveries", () => {
    const closed = { ...fresh, health: { ...CircuitBreaker.healthyState, draining: { since: start, sent: 10 } } }
    const earlier = start - month
    const allowed = CircuitBreaker.calculateDeliveryAllowance(closed, 0, earlier, policy)
    const { health, quietUntil } = CircuitBreaker.updateAfterClaim(
      closed,
      { ...allowed, count: allowed.limit },
      earlier,
      policy
    )
    expect([health.draining, quietUntil]).toEqual([null, null])
  })
})

describe("Effect of a success on other deliveries", () => {
  it("a successful attempt affects other deliveries of a webhook only if failures, a pause, probes or the rate limit for the backlog restrict the receiver", () => {
    expect(CircuitBreaker.isUnrestricted(fresh)).toBe(true)
    expect(CircuitBreaker.isUnrestricted({ ...fresh, webhook: { ...fresh.webhook, consecutiveFailures: 1 } })).toBe(
      false
    )
    expect(CircuitBreaker.isUnrestricted({ ...fresh, quietUntil: start })).toBe(false)
    expect(CircuitBreaker.isUnrestricted({ ...fresh, health: { ...CircuitBreaker.healthyState, probes: 0 } })).toBe(
      false
    )
    expect(
      CircuitBreaker.isUnrestricted({
        ...fresh,
        health: { ...CircuitBreaker.healthyState, draining: { since: start, sent: 0 } }
      })
    ).toBe(false)
  })
})
