/** Stops reading a request whose body has too many chunks, before the chunks fill the memory. */
import { IncomingMessage } from "node:http"
import { makeChunkCounter } from "@partner-commentary/server/http/BodyChunks"

/** Makes the server's request class. The class calls `refuse` once, and reads no more of the request's connection. */
export const makeRequestClass = (refuse: (request: IncomingMessage) => void): typeof IncomingMessage =>
  class ChunkLimitedRequest extends IncomingMessage {
    // A request without a body has no counter.
    declare accepts: ((length: number) => boolean) | null | undefined

    override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
      if (this.accepts === null) return false
      if (chunk !== null) {
        this.accepts ??= makeChunkCounter()
        if (!this.accepts(chunk.length)) {
          this.accepts = null
          refuse(this)
          return false
        }
      }
      return super.push(chunk, encoding)
    }
  }
