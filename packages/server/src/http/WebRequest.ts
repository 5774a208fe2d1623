/** Creates a web Request for any HTTP method. */

/** Matches the methods that the constructor of a web Request rejects. */
const forbiddenMethods = /^(connect|trace|track)$/i

/**
 * For a forbidden method, the constructor receives a placeholder method. After the construction, the request's `method`
 * property is overridden with the forbidden method.
 */
export const make = (address: string, init: RequestInit & { readonly method: string }): Request => {
  const { method } = init
  if (!forbiddenMethods.test(method)) return new Request(address, init)
  return Object.defineProperty(new Request(address, { ...init, method: `X-${method}` }), "method", { value: method })
}
