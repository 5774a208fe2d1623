/** A TCP proxy between the callers and the service. The proxy can drop a response of the service. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"

export interface LossyProxy {
  readonly root: string
  /**
   * Drops the next response to a POST request and closes the connection. Resolves when the proxy has dropped the
   * response.
   */
  readonly loseNext: () => Promise<void>
  readonly close: () => Promise<void>
}

export const openLossyProxy = async (target: string): Promise<LossyProxy> => {
  const { hostname, port } = new URL(target)
  let lost: (() => void) | null = null
  const server = createServer((caller) => {
    const service = connect(Number(port), hostname)
    const hangUp = () => {
      caller.destroy()
      service.destroy()
    }
    for (const socket of [caller, service]) socket.on("error", hangUp).on("close", hangUp)
    let isPost = false
    caller.on("data", (bytes) => {
      const method = /^(GET|POST) /.exec(bytes.toString("latin1", 0, 5))?.[1]
      if (method !== undefined) isPost = method === "POST"
      service.write(bytes)
    })
    service.on("data", (bytes) => {
      if (lost === null || !isPost) {
        caller.write(bytes)
        return
      }
      hangUp()
      lost()
      lost = null
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    root: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseNext: () =>
      new Promise((resolve) => {
        lost = resolve
      }),
    close: async () => {
      server.close()
    }
  }
}
