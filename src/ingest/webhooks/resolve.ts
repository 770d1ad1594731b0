import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { addressIn, type WebhookHosts } from '../../alerts/webhook-hosts.ts';

export type Lookup = (hostname: string) => Promise<readonly { readonly address: string }[]>;

/** Finds the IP addresses of a host that a connection may go to. Rejects with an Error that says why there is none. */
export type Resolve = (url: URL) => Promise<readonly string[]>;

/**
 * The most lookups at one time: each takes one of the four threads that read and write files, for as long as the
 * system waits for an answer.
 */
const mostLookups = 2;

/** Asks the system, as every program does: its hosts file and DNS. What several ask for at one time is asked once. */
export function createResolve(hosts: WebhookHosts, lookup: Lookup = allAddresses): Resolve {
  const asking = new Map<string, Promise<readonly string[]>>();
  const line: (() => void)[] = [];
  let underWay = 0;

  const ask = async (hostname: string): Promise<readonly string[]> => {
    if (underWay >= mostLookups) await new Promise<void>((resolve) => line.push(resolve));
    else underWay++;
    try {
      return (await lookup(hostname)).map(({ address }) => address);
    } finally {
      asking.delete(hostname);
      const next = line.shift();
      if (next === undefined) underWay--;
      else next();
    }
  };

  const addressesOf = (hostname: string): Promise<readonly string[]> => {
    const known = asking.get(hostname);
    if (known !== undefined) return known;
    const asked = ask(hostname);
    asking.set(hostname, asked);
    return asked;
  };

  return async (url) => {
    const written = addressIn(url);
    const found = isIP(written) !== 0 ? [written] : await addressesOf(written);
    const allowed = found.filter((address) => hosts.allowsAddress(url, address));
    if (allowed.length > 0) return allowed;
    if (found.length === 0) throw new Error('its host has no address');
    throw new Error('its host is at a private address, which --webhook-allow does not name');
  };
}

function allAddresses(hostname: string): ReturnType<Lookup> {
  return systemLookup(hostname, { all: true });
}
