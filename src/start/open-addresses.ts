import type { Config } from '../config.ts';
import type { Listeners } from '../http/listeners.ts';
import { type Route, servedBy } from '../http/route.ts';
import type { Hub } from '../hub/hub.ts';

/** Where a part of the service is reached. */
export interface ServiceAddress {
  readonly interface: 'all' | 'query' | 'writer' | 'hub' | 'mqtt';
  readonly url: string;
}

/** Opens the addresses of HTTP and the hub that the settings name; the main one is the first. Rejects where one cannot be had. */
export async function openAddresses(
  config: Config,
  listeners: Pick<Listeners, 'listen'>,
  routes: readonly Route[],
  hub: Hub,
): Promise<ServiceAddress[]> {
  const addresses: ServiceAddress[] = [
    { interface: 'all', url: await listeners.listen(config.listen, routes, hub) },
  ];
  for (const [name, address] of [
    ['query', config.queryListen],
    ['writer', config.writerListen],
    ['hub', config.hubListen],
  ] as const) {
    if (address === undefined) continue;
    const served = servedBy(name, routes);
    const url = await listeners.listen(address, served, name === 'hub' ? hub : undefined);
    addresses.push({ interface: name, url });
  }
  return addresses;
}
