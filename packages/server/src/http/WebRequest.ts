/** Creates a web Request from any HTTP request. */

/** The methods that the constructor of a web Request rejects. */
const forbiddenMethods = /^(connect|trace|track)$/i

/** The request is constructed with another method, and its `method` property is then overridden. */
export const make = (address: string, init: RequestInit & { readonly method: string }): Request => {
  const { method } = init
  if (!forbiddenMethods.test(method)) return new Request(address, init)
  return Object.defineProperty(new Request(address, { ...init, method: `X-${method}` }), "method", { value: method })
}
