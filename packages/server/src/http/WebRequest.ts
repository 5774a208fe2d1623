/** The web's Request of whatever HTTP can bring, for hosts that make one of something else. */

/** Methods that the web's Request does not take. */
const unspeakable = /^(connect|trace|track)$/i

/** Of a method that Request does not take, it is made under another name, and says its own. */
export const make = (address: string, init: RequestInit & { readonly method: string }): Request => {
  const { method } = init
  if (!unspeakable.test(method)) return new Request(address, init)
  return Object.defineProperty(new Request(address, { ...init, method: `X-${method}` }), "method", { value: method })
}
