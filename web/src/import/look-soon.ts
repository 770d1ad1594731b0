import { client } from '../session.ts';
import type { Item } from './item.ts';
import { phase, queue } from './queue.ts';
import { look } from './there.ts';

/** Who types is asked about when they rest, ms. */
const restMs = 250;

const timers = new WeakMap<Item, ReturnType<typeof setTimeout>>();

/**
 * Looks up what is there where the rows go, when nobody has typed for a moment. What fails is told when the file is
 * imported: that looks by itself.
 */
export function lookSoon(item: Item): void {
  clearTimeout(timers.get(item));
  const go = () => {
    const service = client.value;
    if (service !== undefined && phase.value === 'asking')
      look(service, item, queue.value).catch(() => undefined);
  };
  timers.set(item, setTimeout(go, restMs));
}
