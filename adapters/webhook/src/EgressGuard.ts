/**
 * Decides to which IP addresses webhook requests may connect. Only addresses of the public internet are allowed. The
 * lists of networks follow IANA's registries of special-purpose addresses. `ReceiverUrl` refuses ambiguous spellings of
 * an address in a URL.
 */
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"

/** Lists the IPv4 networks that are not public. All other IPv4 addresses are public. */
const special4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carriers' NAT; a cloud's metadata at 100.100.100.200
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // a cloud's own agent, inside of its virtual machines
  "169.254.0.0/16", // link-local, metadata
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments, DS-Lite, NAT64 discovery
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4" // reserved, broadcast
].map(IpNetwork.fromStringUnsafe)

/**
 * Only IPv6 addresses in the network 2000::/3 are public. The network 2000::/3 excludes loopback, mapped and compatible
 * addresses (::/8), NAT64 (64:ff9b::/96, 64:ff9b:1::/48), discard-only (100::/64), SRv6 (5f00::/16), unique-local with
 * metadata (fc00::/7), link-local, site-local and multicast.
 */
const global6 = IpNetwork.fromStringUnsafe("2000::/3")

const special6 = [
  "2001::/23", // protocol assignments: Teredo, benchmarks, AMT, AS112, ORCHID, drones
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4: an IPv4 address in disguise
  "2620:4f:8000::/48", // AS112
  "3ffe::/16", // the former 6bone
  "3fff::/20" // documentation
].map(IpNetwork.fromStringUnsafe)

/**
 * Returns whether an address is public. An address with a zone, in brackets or in an unusual notation is not public.
 */
export const isPublicAddress = (address: string): boolean => {
  const parsed = NetAddress.ipFromString(address)
  if (Result.isFailure(parsed)) return false
  const within = (network: IpNetwork.IpNetwork) => IpNetwork.contains(network, parsed.success)
  return NetAddress.isIpv4Address(parsed.success) ? !special4.some(within) : within(global6) && !special6.some(within)
}
