/** Limits the decompressed size of a response body from another server. */

/**
 * Returns the response with a limited body. If the body is longer than `bytes`, reading fails with `tooLarge`, and the
 * rest of the body is not downloaded.
 */
export const limitResponseSize =
  (bytes: number, tooLarge: Error) =>
  (response: Response): Response => {
    if (response.body === null) return response
    let left = bytes
    const limit = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        left -= chunk.byteLength
        if (left < 0) controller.error(tooLarge)
        else controller.enqueue(chunk)
      }
    })
    return new Response(response.body.pipeThrough(limit), response)
  }
