import { computed } from '@preact/signals';
import type { Client } from '../../../src/client/client.ts';
import { client } from '../session.ts';
import { math, streams, wantsUnits } from '../state/view.ts';
import { conversions, inUnits } from './conversions.ts';
import { named, withMath } from './math-query.ts';

/** Reads rows in the units in which they are shown; undefined while these are not known. */
export const unitReader = computed<Client | undefined>(() => {
  const service = client.value;
  const known = conversions.value;
  // Of several runs, one may be written in another unit than the others.
  const mayDiffer = wantsUnits.value || streams.value.length > 1;
  if (service === undefined || (known === undefined && mayDiffer)) return undefined;
  return known === undefined || known.size === 0 ? service : inUnits(service, known);
});

/** The same. Channels of the view are asked for by their names, as if they were written. */
export const reader = computed<Client | undefined>(() => {
  const service = unitReader.value;
  const channels = math.value;
  if (service === undefined || channels.length === 0) return service;
  return {
    ...service,
    query: (query, options) => {
      const whole = withMath(query, channels);
      return named(whole, channels, service.query(whole, options));
    },
    page: (query, options) => {
      const whole = withMath(query, channels);
      return named(whole, channels, service.page({ ...whole, limit: query.limit }, options));
    },
    pages: (query, rows, options) => service.pages(withMath(query, channels), rows, options),
    download: (query, accept, options) => service.download(withMath(query, channels), accept, options),
  };
});
