import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { BlockList, type LookupFunction } from 'node:net';

/** Finds the addresses of a name, as `dns.lookup` does. */
export type FindAddresses = (
  hostname: string,
  options: LookupAllOptions,
  found: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A name leads to an address that is not of the public internet. Nothing was connected to. */
export class NotPublic extends Error {
  override readonly name = 'NotPublic';
  readonly code = 'NOT_PUBLIC';
}

/** IANA, IPv4 Special-Purpose Address Registry; multicast (RFC 5771) and what is reserved (RFC 1112) beside it. */
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
 * Of what is global in IPv6 (2000::/3, IANA IPv6 Address Space): what IANA's Special-Purpose Address Registry takes out, and what
 * carries an address of IPv4 within (Teredo, 6to4).
 */
const SPECIAL_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const special = new BlockList();
for (const [net, bits] of SPECIAL_V4) special.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of SPECIAL_V6) special.addSubnet(net, bits, 'ipv6');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

/** Whether an address is one of the public internet. */
export function isPublic({ address, family }: LookupAddress): boolean {
  if (family === 4) return !special.check(address, 'ipv4');
  return family === 6 && global6.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

/**
 * How a connection finds the address of a name that a stranger gave: fails with NotPublic where any of them is not public. The
 * addresses that were looked at are those that are connected to, so that a name cannot mean another one by then.
 */
export function publicLookup(find: FindAddresses = systemLookup): LookupFunction {
  return (hostname, { all, ...options }, found) => {
    find(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error) return found(error, []);
      if (!first || !addresses.every(isPublic))
        return found(new NotPublic('a name that does not lead to the public internet'), []);
      return all ? found(null, addresses) : found(null, first.address, first.family);
    });
  };
}
