/** Limits the size of another server's response body, measured after decompression. */

/**
 * Returns the same response with a limited body. If the body is longer than `bytes`, reading fails with `tooLarge` and
 * the download stops.
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
