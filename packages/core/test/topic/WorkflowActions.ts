/**
 * Defines all inputs of an assignment for random walks: actions of partners and creators, results of attempts, and the
 * passing of time.
 */
import * as Duration from "effect/Duration"
import * as fc from "fast-check"
import type { Policy } from "../../src/shared/Policy.ts"

export type DraftReference = "unnamed" | "present" | "former"

export type WalkAction =
  | { readonly do: "wait"; readonly until: "later" | "before due" | "due" | "before deadline" | "deadline"; ms: number }
  | { readonly do: "wake" | "notified" | "restart" | "cancel" }
  | { readonly do: "respond"; readonly words: string }
  | { readonly do: "decline" | "withdraw"; readonly words: string | null }
  | { readonly do: "approve"; readonly draft: DraftReference; readonly words: string | null }
  | { readonly do: "revise"; readonly draft: DraftReference; readonly words: string }
  /**
   * A result of a draft attempt. The number `back` is 0 for the latest started attempt, 1 for the attempt before the
   * latest, and so on.
   */
  | { readonly do: "drafted"; readonly back: number }
  | { readonly do: "attempt failed"; readonly back: number; readonly permanent: boolean }

const hour = 3_600_000
const words = fc.constantFrom("one thing", "another")
const silence = fc.option(words)
const named = fc.constantFrom<DraftReference>("unnamed", "present", "present", "former")
const back = fc.constantFrom(0, 0, 0, 0, 1, 2)

export const arbitraryActions: fc.Arbitrary<ReadonlyArray<WalkAction>> = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant("wait" as const),
      until: fc.constantFrom("later", "before due", "due", "due", "before deadline", "deadline"),
      ms: fc.integer({ min: 0, max: 30 * hour })
    }),
    { arbitrary: fc.record({ do: fc.constant("wake" as const) }), weight: 3 },
    fc.record({ do: fc.constantFrom("notified" as const, "restart" as const) }),
    fc.record({ do: fc.constant("cancel" as const) }),
    fc.record({ do: fc.constant("respond" as const), words }),
    fc.record({ do: fc.constant("decline" as const), words: silence }),
    fc.record({ do: fc.constant("withdraw" as const), words: silence }),
    fc.record({ do: fc.constant("approve" as const), draft: named, words: silence }),
    { arbitrary: fc.record({ do: fc.constant("revise" as const), draft: named, words }), weight: 2 },
    { arbitrary: fc.record({ do: fc.constant("drafted" as const), back }), weight: 2 },
    fc.record({ do: fc.constant("attempt failed" as const), back, permanent: fc.boolean() })
  ),
  { maxLength: 60, size: "max" }
)

const duration = (min: number, max: number) => fc.integer({ min, max }).map((ms) => Duration.millis(ms))

export const arbitraryPolicies = (defaults: Policy): fc.Arbitrary<Policy> =>
  fc.record({
    ...(Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, fc.constant(value)])) as {
      [Name in keyof Policy]: fc.Arbitrary<Policy[Name]>
    }),
    responseWindow: duration(1, 72 * hour),
    mailWindow: duration(0, 24 * hour),
    deliveryWindow: duration(1, 168 * hour),
    approvalWindow: duration(1, 240 * hour),
    generationRetries: fc.array(duration(1, 6 * hour), { maxLength: 4 }),
    generationGrace: duration(1, 24 * hour),
    maxDrafts: fc.integer({ min: 1, max: 4 }),
    lease: duration(1, hour)
  })
