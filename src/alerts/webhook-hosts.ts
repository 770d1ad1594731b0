import { BlockList, isIP } from 'node:net';
import type { Allowed } from '../setting-values.ts';

/** Which hosts webhooks may call, and at which addresses. */
export interface WebhookHosts {
  /** Whether there is any. */
  readonly isNone: boolean;
  /** Whether the operator named the host and port of an address. */
  allows(url: URL): boolean;
  /**
   * Whether the connection may go to this very IP address, to which the host was resolved. One of the machine itself or of a
   * private network has to be in the list too, so that a name cannot be turned to it; `localhost` is the machine itself.
   */
  allowsAddress(url: URL, address: string): boolean;
}

/** What is not an address of the public internet. A list is made when it is first asked: most services never do. */
const notPublic = listed([
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // The machine itself, and IPv4 addresses in IPv6 ones; a list finds those of the form ::ffff:10.0.0.1 by itself.
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]);

const loopback = listed([
  ['127.0.0.0', 8],
  ['::1', 128],
]);

export function webhookHosts(allowed: readonly Allowed[]): WebhookHosts {
  const networks = listed(
    allowed.flatMap((entry) => ('network' in entry ? [[entry.network, entry.prefix] as const] : [])),
  );
  const isNamed = (host: string, port: number): boolean =>
    allowed.some((entry) => 'host' in entry && entry.host === host && (entry.port ?? port) === port);
  return {
    isNone: allowed.length === 0,
    allows(url) {
      const address = addressIn(url);
      return isNamed(url.hostname, portOf(url)) || (isIP(address) !== 0 && has(networks, address));
    },
    allowsAddress(url, given) {
      // A link-local address may name its interface.
      const address = given.replace(/%.*$/, '');
      if (!has(notPublic, address) || has(networks, address)) return true;
      if (url.hostname === 'localhost' && has(loopback, address)) return true;
      return isNamed(isIP(address) === 6 ? new URL(`http://[${address}]`).hostname : address, portOf(url));
    },
  };
}

/** The host of an address, IPv6 without brackets. */
export function addressIn({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

function listed(networks: readonly (readonly [network: string, prefix: number])[]): () => BlockList {
  let list: BlockList | undefined;
  return () => {
    if (list !== undefined) return list;
    list = new BlockList();
    for (const [network, prefix] of networks) list.addSubnet(network, prefix, familyOf(network));
    return list;
  };
}

function has(list: () => BlockList, address: string): boolean {
  return list().check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
