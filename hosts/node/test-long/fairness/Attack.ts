/** Defines an attack by its requests and by how its clients use their connections. `Attacker.ts` runs the attacks. */
import type { SendAttackRequest } from "./Attacker.ts"
import type { FairnessSetup } from "./Seed.ts"

/**
 * The behaviour of each connection of an attack. A client that `asks` reads each response and sends the next request. A
 * client that `leaves` closes the connection before the response arrives. A client that `pipelines` sends as many
 * requests as one connection allows and reads nothing. A client that `trickles` reads the response slowly.
 */
export type ConnectionBehavior = "asks" | "leaves" | "pipelines" | "trickles"

/**
 * `standard` are the limits of the standard plan. `raised` are limits so high that they do not restrict the attacker.
 */
export type AttackLimitLevel = "standard" | "raised"

export type AttackCredential = "live" | "test" | "dashboard" | "none"

export interface AttackRequest {
  readonly method: string
  readonly path: string
  readonly by: AttackCredential
  /** The API key that the request uses instead of one of the attacker's keys. */
  readonly key?: string
  readonly body?: string
  readonly idempotencyKey?: string
  /** The value of the `Prefer` header. */
  readonly prefer?: string
}

export interface Attack {
  readonly manner?: ConnectionBehavior
  /** Concurrent connections. Default: 48. */
  readonly connections?: number
  /** The duration of the attack in milliseconds, by default 1500. */
  readonly lasts?: number
  /**
   * The kind of limits with which the attack runs. By default, the attack runs once with `standard` limits and once
   * with `raised` limits.
   */
  readonly limits?: AttackLimitLevel
  /** Before the attack begins, creates the resources that the requests use. */
  readonly prepare?: (scene: FairnessSetup, call: SendAttackRequest) => Promise<ReadonlyArray<string>>
  readonly ask: (scene: FairnessSetup, nth: number, prepared: ReadonlyArray<string>) => AttackRequest
}

export const getConnectionCount = ({ connections = 48 }: Attack): number => connections

/**
 * Returns the nth element of a list. If `nth` exceeds the length of the list, counting restarts at the first element.
 */
export const getCyclicElement = <A>(list: ReadonlyArray<A>, nth: number): A => list[nth % list.length] as A

export const makeGetRequest = (path: string, by: AttackCredential = "live"): AttackRequest => ({
  method: "GET",
  path: `/partner/v1${path}`,
  by
})

export const makeRequestWithBody = (
  method: string,
  path: string,
  body: unknown,
  by: AttackCredential = "live"
): AttackRequest => ({
  method,
  path: `/partner/v1${path}`,
  by,
  body: typeof body === "string" ? body : JSON.stringify(body)
})
