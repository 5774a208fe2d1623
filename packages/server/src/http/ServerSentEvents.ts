/** The wire format of server-sent events, for events whose payload is JSON in one line. */
import { formatCursor } from "@partner-commentary/core/webhook/EventHistory"
import type { PastEvent } from "@partner-commentary/core/webhook/EventLog"

/** The id is the event's, so that `Last-Event-ID` continues after it as `after` does. */
export const event = ({ id, payload, type }: PastEvent): string =>
  `id: ${formatCursor(id)}\nevent: ${type}\ndata: ${payload}\n\n`

/** The client connects again after these milliseconds when the stream ends. */
export const retry = (milliseconds: number): string => `retry: ${milliseconds}\n\n`

/** A comment. Clients ignore it, and proxies see that the connection is alive. */
export const heartbeat = ":\n\n"
