import type { ParameterEntry } from './parameter-entry.ts';
import type { Spark } from './spark.ts';

/** What is looked at first, in the order of plots. */
const usual: readonly RegExp[] = [
  /speed|velocity/i,
  /throttle|accelerator/i,
  /brake/i,
  /gear/i,
  /rpm|revs/i,
  /steer/i,
];
/** Fewer than this are no picture: those that vary most are drawn instead. */
const leastUsual = 2;
const mostPlots = 6;
const mostVarying = 4;

/** Channels that one would look at first: by their names, or else those that vary most; text where there is nothing else. */
export function chosenOf(known: readonly ParameterEntry[], sparks: ReadonlyMap<string, Spark>): string[] {
  const numeric = known.filter(({ type, id }) => type === 'Numeric' && sparks.get(id)?.last !== undefined);
  if (numeric.length === 0)
    return known.flatMap(({ type, id }) => (type === 'String' ? [id] : [])).slice(0, mostVarying);
  const named = new Set<string>();
  for (const pattern of usual) {
    const matching = numeric.filter(({ id, name }) => !named.has(id) && pattern.test(`${id} ${name}`));
    // "Speed" rather than "WheelSpeedFrontLeft".
    const [shortest] = matching.sort((a, b) => a.id.length - b.id.length);
    if (shortest !== undefined) named.add(shortest.id);
  }
  if (named.size >= leastUsual) return [...named].slice(0, mostPlots);
  const varying = numeric
    .map(({ id }) => ({ id, variety: varietyOf(sparks.get(id)!) }))
    .sort((a, b) => b.variety - a.variety);
  return [...new Set([...named, ...varying.map(({ id }) => id)])].slice(0, mostVarying);
}

/** How far a channel goes up and down, in widths of its range: 0 where it stands still. */
function varietyOf({ low, high }: Spark): number {
  const known = low.flatMap((value, i) => (Number.isFinite(value) ? [(value + high[i]!) / 2] : []));
  const range = Math.max(...high.filter(Number.isFinite)) - Math.min(...low.filter(Number.isFinite));
  if (!(range > 0)) return 0;
  let way = 0;
  for (let i = 1; i < known.length; i++) way += Math.abs(known[i]! - known[i - 1]!);
  return way / range + 1;
}
