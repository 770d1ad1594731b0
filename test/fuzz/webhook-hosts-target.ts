import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { webhookHosts } from '../../src/alerts/webhook-hosts.ts';
import { type Allowed, allowedHosts } from '../../src/setting-values.ts';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import type { Target } from './target.ts';

const bytes = [0, 1, 2, 10, 64, 100, 127, 128, 168, 169, 172, 16, 31, 32, 192, 198, 203, 224, 240, 254, 255];
const groups = '0 1 7f00 a00 c0a8 a9fe ffff 64 ff9b 100 2001 db8 2002 fc00 fdff fe80 fec0 ff02'.split(' ');
const hosts = ['a.example', 'A.example:8080', 'localhost', 'b.a.example', 'xn--bcher-kva.example'];
const words = ['.', ':', '::', '/', '0x7f', '017', '%25', '@', '[', ']', ',', '\n', '０'].map((word) =>
  Buffer.from(word),
);

function address(random: Random): string {
  const four = () => Array.from({ length: 4 }, () => random.pick(bytes)).join('.');
  if (random.once(2)) return four();
  const head = Array.from({ length: 1 + random.below(4) }, () => random.pick(groups)).join(':');
  if (random.once(3)) return `${random.pick(['::', '::ffff:', '64:ff9b::', `${head}::`])}${four()}`;
  return random.once(2) ? `${head}::${random.pick(groups)}` : `::${head}`;
}

function host(random: Random): string {
  if (!random.once(3)) return random.pick(hosts);
  const given = address(random);
  return isIP(given) === 6 ? `[${given}]` : given;
}

function entry(random: Random): string {
  return random.once(3) ? `${address(random)}/${random.below(130)}` : host(random);
}

/**
 * The text is three lines: a value of `--webhook-allow`, the address of a webhook, and an IP address to which its host was
 * resolved. The list is refused in words, or: what may be called is named, and a connection to the machine itself or to a private
 * network, found by arithmetic on its bits, is allowed only where the list has that address or its network.
 */
export const webhookHostsTarget: Target = {
  name: 'webhook-hosts',
  short: 3000,
  make(random) {
    const list = Array.from({ length: 1 + random.below(3) }, () => entry(random));
    const made = Buffer.from(`${list}\nhttp://${host(random)}/\n${address(random)}`);
    return random.once(3) ? mutate(made, random, words, [made]) : made;
  },
  check(input) {
    const [list = '', link = '', resolved = ''] = input.toString().split('\n');
    let allowed: readonly Allowed[];
    try {
      allowed = allowedHosts(list);
    } catch (error) {
      assert.match((error as Error).message, /^must be /);
      return;
    }
    const found = webhookHosts(allowed);
    if (!URL.canParse(link)) return;
    const url = new URL(link);
    const inHost = url.hostname.replace(/^\[(.*)\]$/, '$1');
    if (found.allows(url)) assert.ok(isListed(allowed, url.hostname, inHost), 'a host that is not named');
    if (isIP(resolved) === 0 || !found.allowsAddress(url, resolved)) return;
    const isLocal = url.hostname === 'localhost' && inAny(resolved, loopback);
    const isPublic = !inAny(resolved, notPublic);
    assert.ok(isPublic || isLocal || isListed(allowed, '', resolved), `${resolved} is private`);
  },
};

function isListed(allowed: readonly Allowed[], name: string, ip: string): boolean {
  return allowed.some((one) => {
    if ('network' in one) return isIP(ip) !== 0 && within(ip, one.network, one.prefix);
    const named = one.host.replace(/^\[(.*)\]$/, '$1');
    return one.host === name || (isIP(ip) !== 0 && isIP(named) !== 0 && within(ip, named, 128));
  });
}

const loopback = ['127.0.0.0/8', '::1/128'];
const notPublic = [
  ...loopback,
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '224.0.0.0/3',
  '::/128',
  '64:ff9b::/96',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
];

function inAny(ip: string, networks: readonly string[]): boolean {
  return networks.some((network) => {
    const [base = '', prefix] = network.split('/');
    return within(ip, base, Number(prefix));
  });
}

/** IPv4 addresses are those of `::ffff:0:0/96`, so both kinds are numbers of 128 bits. */
function within(ip: string, network: string, prefix: number): boolean {
  const own = isIP(network) === 4 && prefix <= 32 ? prefix + 96 : prefix;
  const rest = BigInt(128 - Math.min(own, 128));
  return numberOf(ip) >> rest === numberOf(network) >> rest;
}

function numberOf(ip: string): bigint {
  const whole = isIP(ip) === 4 ? `::ffff:${ip}` : ip.replace(/%.*$/, '');
  const [head = '', tail] = new URL(`http://[${whole}]`).hostname.slice(1, -1).split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return [...first, ...zeros, ...last].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}
