import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { BlockList, type LookupFunction } from 'node:net';

/** Resolves a host name, as `dns.lookup` does. */
export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A host name resolves to an address outside of the public internet. No connection was made. */
export class NotPublicAddressError extends Error {
  override readonly name = 'NotPublicAddressError';
  readonly code = 'NOT_PUBLIC';
}

/** IANA IPv4 Special-Purpose Address Registry, multicast (RFC 5771) and reserved addresses (RFC 1112). */
const SPECIAL_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;
/**
 * Exceptions within global IPv6 (2000::/3, IANA IPv6 Address Space): IANA's Special-Purpose Address Registry,
 * and addresses that embed an IPv4 address (Teredo, 6to4).
 */
const SPECIAL_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const specialAddresses = new BlockList();
for (const [net, bits] of SPECIAL_V4) specialAddresses.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of SPECIAL_V6) specialAddresses.addSubnet(net, bits, 'ipv6');
const globalIpv6 = new BlockList();
globalIpv6.addSubnet('2000::', 3, 'ipv6');

/** Whether an address belongs to the public internet. */
export function isPublic({ address, family }: LookupAddress): boolean {
  if (family === 4) return !specialAddresses.check(address, 'ipv4');
  return family === 6 && globalIpv6.check(address, 'ipv6') && !specialAddresses.check(address, 'ipv6');
}

/**
 * Returns the DNS lookup for host names from untrusted sources. Fails with NotPublicAddressError if any address
 * is not public. The connection uses the checked addresses, so DNS rebinding is not possible.
 */
export function createPublicLookup(find: LookupAll = systemLookup): LookupFunction {
  return (hostname, { all, ...options }, callback) => {
    find(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error) return callback(error, []);
      if (!first || !addresses.every(isPublic))
        return callback(new NotPublicAddressError('a name that does not lead to the public internet'), []);
      return all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}
