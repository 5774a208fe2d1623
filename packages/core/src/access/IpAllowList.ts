/**
 * The list of addresses from which a key may be used. An entry is an IPv4 address, an IPv6 address or a CIDR range.
 * IPv4-mapped IPv6 addresses count as IPv4.
 */
import * as IpInterface from "effect/net/IpInterface"
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"

export type IpAllowList = ReadonlyArray<IpNetwork.IpNetwork>

/** Parses entries such as `203.0.113.7`, `203.0.113.0/24` or `2001:db8::/32`. Fails with the first invalid entry. */
export const parseAllowList = (entries: ReadonlyArray<string>): Result.Result<IpAllowList, string> => {
  const networks: Array<IpNetwork.IpNetwork> = []
  for (const entry of entries) {
    const network = parseEntry(entry)
    if (Result.isFailure(network)) return Result.fail(entry)
    networks.push(network.success)
  }
  return Result.succeed(networks)
}

/**
 * Returns whether the list allows the address. An empty list allows every address. A non-empty list rejects invalid
 * addresses.
 */
export const allowsAddress = (list: IpAllowList, address: string): boolean => {
  if (list.length === 0) return true
  const parsed = NetAddress.ipFromString(address)
  if (Result.isFailure(parsed)) return false
  const canonical = NetAddress.toCanonical(parsed.success)
  return list.some((network) => IpNetwork.contains(network, canonical))
}

export const isAddress = (text: string): boolean => Result.isSuccess(NetAddress.ipFromString(text))

const parseEntry = (entry: string): Result.Result<IpNetwork.IpNetwork, unknown> =>
  entry.includes("/")
    ? Result.map(IpInterface.fromString(entry), (range) => unmap(IpNetwork.fromInterface(range)))
    : Result.map(NetAddress.ipFromString(entry), (address) => {
        const canonical = NetAddress.toCanonical(address)
        return IpNetwork.makeUnsafe(canonical, NetAddress.width(canonical))
      })

/** Converts an IPv4-mapped range to IPv4. For example, `::ffff:203.0.113.0/120` becomes `203.0.113.0/24`. */
const unmap = (network: IpNetwork.IpNetwork): IpNetwork.IpNetwork => {
  const canonical = NetAddress.toCanonical(network.address)
  return NetAddress.isIpv4Address(canonical) && network.prefixLength >= 96 && NetAddress.isIpv6Address(network.address)
    ? IpNetwork.makeUnsafe(canonical, network.prefixLength - 96)
    : network
}
