import { MessageFault } from '../../protobuf/wire-reader.ts';
import { momentOf } from '../text/dates.ts';
import type { Place } from './place.ts';

/** Where messages have a time of their own: `header.stamp` of ROS, `timestamp` of Foxglove; the first one that is there counts. */
const stampFields = [['header', 'stamp'], ['stamp'], ['header', 'timestamp'], ['timestamp']];
const secondFields = ['sec', 'secs', 'seconds'];
const nanoFields = ['nanosec', 'nsec', 'nsecs', 'nanos', 'nanoseconds'];

const second = 1_000_000_000n;

/**
 * Gives the stamp of the message that was visited last, ns since the Unix epoch: of seconds and nanoseconds, or of a text in
 * ISO 8601. Undefined where it has none. Throws a MessageFault for one that is no time.
 * @param onLocal is told a text that says nothing of a zone, and is taken for UTC
 */
export function watchStamps(root: Place, onLocal: (text: string) => void): () => bigint | undefined {
  const watched: Place[] = [];
  const watch = (place: Place): Place => {
    place.isWatched = true;
    watched.push(place);
    return place;
  };
  const stamps = stampFields.map((path) => {
    const place = watch(path.reduce((at, name) => at.field(name), root));
    const under = (names: readonly string[]) => names.map((name) => watch(place.field(name)));
    return { place, seconds: under(secondFields), nanos: under(nanoFields) };
  });
  return () => {
    let found: bigint | undefined;
    for (const { place, seconds, nanos } of stamps) found ??= stampOf(place, seconds, nanos, onLocal);
    for (const place of watched) place.seen = undefined;
    return found;
  };
}

function stampOf(
  place: Place,
  seconds: readonly Place[],
  nanos: readonly Place[],
  onLocal: (text: string) => void,
): bigint | undefined {
  if (typeof place.seen === 'string') {
    const moment = momentOf(place.seen, undefined);
    if (moment?.hasClock === true) {
      if (!moment.hasZone) onLocal(place.seen);
      return moment.time;
    }
    throw new MessageFault(`its ${place.path()}, '${place.seen.slice(0, 40)}', is no time in ISO 8601`);
  }
  const whole = seconds.find(({ seen }) => seen !== undefined)?.seen;
  if (whole === undefined) return undefined;
  const part = nanos.find(({ seen }) => seen !== undefined)?.seen ?? 0;
  if (!Number.isSafeInteger(whole) || !Number.isSafeInteger(part))
    throw new MessageFault(`its ${place.path()} is ${whole} s and ${part} ns, which is no time`);
  const time = BigInt(whole) * second + BigInt(part);
  // ROS and Foxglove leave it at 0 where there is none.
  if (time === 0n) throw new MessageFault(`its ${place.path()} is 0, which stands for none`);
  return time;
}
