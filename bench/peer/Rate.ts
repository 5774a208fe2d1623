/**
 * Implements the peer's rate limit: fixed windows in a map, the headers of the window with the fewest calls left, and a
 * call counter in memory.
 */
import type { FastifyReply } from "fastify"
import { RequestRefusal } from "./Refusal.ts"

interface Window {
  ends: number
  used: number
}

const windows = new Map<string, Window>()
const calls = new Map<string, number>()

const open = (name: string, seconds: number, now: number): Window => {
  const found = windows.get(name)
  if (found !== undefined && found.ends > now) return found
  const fresh = { ends: now + seconds * 1000, used: 0 }
  windows.set(name, fresh)
  return fresh
}

/** Counts one call of a key, or refuses the call. The parameter `endpoint` names an endpoint with its own limit. */
export const enforceRateLimit = (
  key: string,
  endpoint: string | undefined,
  limit: number,
  reply: FastifyReply,
  now: number
) => {
  const hour = open(`${key} hour`, 3600, now)
  const minute = open(`${key} minute`, 60, now)
  const own = endpoint === undefined ? undefined : open(`${key} ${endpoint}`, 3600, now)
  const full = [hour, minute, own].find((window) => window !== undefined && window.used >= limit)
  if (full === undefined) {
    hour.used++
    minute.used++
    if (own !== undefined) own.used++
  }
  const tightest = own !== undefined && own.used > hour.used ? own : hour
  reply.header("x-ratelimit-limit", limit)
  reply.header("x-ratelimit-remaining", limit - tightest.used)
  reply.header("x-ratelimit-reset", Math.ceil(tightest.ends / 1000))
  calls.set(key, (calls.get(key) ?? 0) + 1)
  if (full === undefined) return undefined
  const retry_after = Math.ceil((full.ends - now) / 1000)
  reply.header("retry-after", retry_after)
  return new RequestRefusal(429, "rate_limit_exceeded", "The rate limit is used up.", {
    retry_after,
    limit,
    remaining: 0
  })
}
