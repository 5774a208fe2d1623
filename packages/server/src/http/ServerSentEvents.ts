/** Encodes events in the wire format of server-sent events. The payload of each event is JSON in one line. */
import { formatEventCursor } from "@partner-commentary/core/webhook/EventHistory"
import type { StoredEvent } from "@partner-commentary/core/webhook/EventLog"

/**
 * The message id is the cursor of the event. A client can send the event's id as `Last-Event-ID` or as `after` to
 * continue.
 */
export const formatEvent = ({ id, payload, type }: StoredEvent): string =>
  `id: ${formatEventCursor(id)}\nevent: ${type}\ndata: ${payload}\n\n`

/** Encodes the delay between the end of a stream and the client's next connection, in milliseconds. */
export const formatRetryDelay = (milliseconds: number): string => `retry: ${milliseconds}\n\n`

/** An SSE comment that keeps the connection alive in proxies. Clients ignore comments. */
export const heartbeatComment = ":\n\n"
