import { isIPv6 } from 'node:net';

/**
 * Returns the address that connections are counted for: an IPv4 address, also where it comes as `::ffff:a.b.c.d`, or
 * the first 64 bits of an IPv6 address, of which every customer of a provider has all (RFC 6177).
 *
 * @param remote as the socket tells it; undefined where it has closed already
 */
export function addressOf(remote: string | undefined): string {
  if (remote === undefined) return '';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(remote);
  if (mapped !== null) return mapped[1]!;
  if (!isIPv6(remote)) return remote;
  const [before = '', after] = remote.split('%', 1)[0]!.split('::');
  const groups = before === '' ? [] : before.split(':');
  if (after !== undefined) {
    const rest = after === '' ? [] : after.split(':');
    while (groups.length + rest.length < 8) groups.push('0');
    groups.push(...rest);
  }
  return `${groups.slice(0, 4).map(withoutZeros).join(':')}::/64`;
}

function withoutZeros(group: string): string {
  return Number.parseInt(group, 16).toString(16);
}
