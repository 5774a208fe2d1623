/** Creates a web Request from any HTTP request. */

/** Methods that a web Request rejects. */
const forbiddenMethods = /^(connect|trace|track)$/i

/** Replaces a rejected method by another one and overrides the `method` property. */
export const make = (address: string, init: RequestInit & { readonly method: string }): Request => {
  const { method } = init
  if (!forbiddenMethods.test(method)) return new Request(address, init)
  return Object.defineProperty(new Request(address, { ...init, method: `X-${method}` }), "method", { value: method })
}
