import { isIP } from 'node:net';

/**
 * The kinds of value that a setting can have: each reads the text that an operator wrote, or throws an Error that
 * goes on after the name of the setting, as in "--listen must be HOST:PORT".
 */

/** Empty text is an unset setting. */
export function optional<Value>(read: (text: string) => Value): (text: string) => Value | undefined {
  return (given) => (given === '' ? undefined : read(given));
}

export function text(given: string): string {
  if (given === '') throw new Error('must not be empty');
  return given;
}

/** The fewest characters of a token: 16 digits of hex are 64 bits, more than can be guessed over a network. */
const shortestToken = 16;
/** The most characters of a token: more than any secret needs. */
const longestToken = 1024;

/** The characters of a bearer token (RFC 6750, section 2.1). The message never repeats what came: it is a secret. */
export function token(given: string): string {
  if (given.length < shortestToken)
    throw new Error(
      `must have at least ${shortestToken} characters; 'openssl rand -hex 32' makes a good one`,
    );
  if (given.length > longestToken) throw new Error(`may have ${longestToken} characters at most`);
  if (!/^[A-Za-z0-9._~+/-]+=*$/.test(given))
    throw new Error('may hold only letters, digits and - . _ ~ + / =');
  return given;
}

/** Names with commas between them; none in an empty text. */
export function names(given: string): readonly string[] {
  const listed = given.split(',').map((name) => name.trim());
  if (given.trim() === '') return [];
  if (listed.includes('')) throw new Error(`must be names with commas between them, not '${given}'`);
  return listed;
}

/** A name that stands in addresses, unescaped, with a dot after it. */
export function nodeName(given: string): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(given)) {
    throw new Error(`may hold only letters, digits, - and _, 64 at most, not '${given}'`);
  }
  return given;
}

/**
 * `clickhouse://user:password@host:8123/database`, with `clickhouses` for TLS, several hosts with commas, as it came. The message never repeats what
 * came: there may be a password in it.
 */
export function clickHouseUrl(given: string): string {
  const match = /^clickhouses?:\/\/([^/?#\s]*@)?([^/?#\s@]+)(?:\/[^/?#\s]*)?$/.exec(given);
  const [, login = '', hosts = ''] = match ?? [];
  const isAddress = (host: string) => host !== '' && URL.canParse(`http://${login}${host}`);
  if (match === null || !hosts.split(',').every(isAddress) || !isEncoded(given)) {
    throw new Error('must be like clickhouse://user:password@host:8123/database, clickhouses:// for TLS');
  }
  return given;
}

/** `nats://user:password@host:4222`, with `tls` for TLS, as it came; what follows `//` is for the link to read. */
export function natsUrl(given: string): string {
  if (!/^(nats|tls):\/\/[^\s]+$/.test(given)) {
    throw new Error('must be like nats://user:password@host:4222, tls:// for TLS');
  }
  return given;
}

/** `mqtt://user:password@host:1883`, with `mqtts` for TLS, as it came. The message never repeats what came: there may be a password in it. */
export function mqttUrl(given: string): string {
  if (!/^mqtts?:\/\/[^\s/?#]+\/?$/.test(given) || !URL.canParse(given) || !isEncoded(given)) {
    throw new Error('must be like mqtt://user:password@host:1883, mqtts:// for TLS');
  }
  return given;
}

/** Whether every % begins a character, as in addresses it has to. */
function isEncoded(given: string): boolean {
  try {
    decodeURIComponent(given);
    return true;
  } catch {
    return false;
  }
}

/** A name that stands in statements. */
export function clusterName(given: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/.test(given)) {
    throw new Error(`may hold only letters, digits, _, . and -, 64 at most, not '${given}'`);
  }
  return given;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

export function address(given: string): Address {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/.exec(given);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) throw new Error(`must be HOST:PORT, not '${given}'`);
  return { host: (match[1] ?? match[2])!, port };
}

export function count(given: string): number {
  const value = Number(given);
  if (!/^\d+$/.test(given) || value < 1 || !Number.isSafeInteger(value)) {
    throw new Error(`must be a whole number above 0, not '${given}'`);
  }
  return value;
}

/**
 * `*`, or origins with commas, as browsers send them: what they never send would allow nobody. `null` is the origin of a
 * page in a file.
 */
export function origins(given: string): string {
  const wrong = given === '*' ? undefined : names(text(given)).find((origin) => !isOrigin(origin));
  if (wrong === undefined) return given;
  throw new Error(
    `must be *, or origins such as https://plots.example.com with commas between them, without a path, not '${wrong}'`,
  );
}

function isOrigin(entry: string): boolean {
  if (/^https?:/i.test(entry)) return URL.canParse(entry) && new URL(entry).origin === entry;
  return entry === 'null' || /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/.test(entry);
}

/** A host that the service may call. */
export interface AllowedHost {
  /** As in an address: lower case, IPv6 in brackets. */
  readonly host: string;
  /** Any where it is undefined. */
  readonly port: number | undefined;
}

/** Addresses that the service may call, as `10.0.0.0/8`. */
export interface AllowedNetwork {
  readonly network: string;
  readonly prefix: number;
}

export type Allowed = AllowedHost | AllowedNetwork;

/** Hosts, each with a port or without, and networks, with commas between them. */
export function allowedHosts(given: string): readonly Allowed[] {
  return names(given).map((entry) => {
    const found = allowedNetwork(entry) ?? allowedHost(entry);
    if (found !== undefined) return found;
    const expected =
      'hosts such as hooks.example.com, host:8080, 10.1.2.3 or [::1]:8080, or networks such as 10.0.0.0/8';
    throw new Error(`must be ${expected}, with commas between them, not '${entry}'`);
  });
}

function allowedNetwork(entry: string): AllowedNetwork | undefined {
  const [, network = '', digits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(network)]!;
  const prefix = Number(digits);
  return prefix <= bits ? { network, prefix } : undefined;
}

function allowedHost(entry: string): AllowedHost | undefined {
  const written = isIP(entry) === 6 ? `[${entry}]` : entry;
  const match = /^(\[[0-9a-fA-F:.]+\]|[^\s:/?#@[\]*]+)(?::(\d{1,5}))?$/.exec(written);
  const port = match?.[2] === undefined ? undefined : Number(match[2]);
  if (match === null || (port ?? 1) < 1 || (port ?? 1) > 65_535) return undefined;
  if (!URL.canParse(`http://${match[1]}`)) return undefined;
  return { host: new URL(`http://${match[1]}`).hostname, port };
}

/** A count that may be 0. */
export function countOrNone(given: string): number {
  if (given === '0') return 0;
  if (!/^\d+$/.test(given)) throw new Error(`must be a whole number, or 0 for none, not '${given}'`);
  return count(given);
}

/** A count that can't be more than `most`, whatever the operator wants. */
export function countUpTo(most: number): (text: string) => number {
  return (given) => {
    const value = Number(given);
    if (!/^\d+$/.test(given) || value < 1 || value > most) {
      throw new Error(`must be a whole number from 1 to ${most}, not '${given}'`);
    }
    return value;
  };
}

const sizeUnits: Readonly<Record<string, number>> = { '': 1, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

export function size(given: string): number {
  const match = /^(\d+)\s*([A-Za-z]*)$/.exec(given);
  const value = Number(match?.[1]) * (sizeUnits[match?.[2] ?? ''] ?? Number.NaN);
  if (!(value >= 1) || !Number.isSafeInteger(value)) {
    throw new Error(`must be bytes such as 65536, 64KiB, 32MiB or 1GiB, not '${given}'`);
  }
  return value;
}

const timeUnits: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds. */
export function duration(given: string): number {
  const value = milliseconds(given);
  if (value === undefined) {
    throw new Error(`must be a time such as 500ms, 60s, 5m, 1h or 1d, not '${given}'`);
  }
  return value;
}

function milliseconds(given: string): number | undefined {
  const match = /^(\d+)(ms|s|m|h|d)$/.exec(given);
  const value = Number(match?.[1]) * (timeUnits[match?.[2] ?? ''] ?? Number.NaN);
  return value >= 1 && Number.isSafeInteger(value) ? value : undefined;
}

/** Milliseconds, `most` of them at most. */
export function durationUpTo(most: number): (text: string) => number {
  return (given) => {
    const value = duration(given);
    if (value > most) throw new Error(`must be ${most / 1000}s at most, not '${given}'`);
    return value;
  };
}

/** Milliseconds, `0ms` too. */
export function durationOrNone(given: string): number {
  return given === '0ms' ? 0 : duration(given);
}

/** Milliseconds; undefined where it is switched off, by `off` or 0. */
export function durationOrOff(given: string): number | undefined {
  if (/^(off|0(ms|s|m|h|d)?)$/.test(given)) return undefined;
  const value = milliseconds(given);
  if (value === undefined) throw new Error(`must be a time such as 500ms, 60s or 5m, or off, not '${given}'`);
  return value;
}

export function truth(given: string): boolean {
  if (given === 'true' || given === '1') return true;
  if (given === 'false' || given === '0') return false;
  throw new Error(`must be true or false, not '${given}'`);
}

export function oneOf<const Words extends readonly string[]>(
  ...words: Words
): (text: string) => Words[number] {
  return (given) => {
    if (!words.includes(given)) throw new Error(`must be one of ${words.join(', ')}, not '${given}'`);
    return given;
  };
}
