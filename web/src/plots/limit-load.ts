import { computed, effect } from '@preact/signals';
import type { Client } from '../../../src/client/client.ts';
import { limitsOf, type Outside, outside } from '../channels/limits.ts';
import { openParameters } from '../channels/parameters.ts';
import { plottedNumbers } from '../channels/plotted.ts';
import { byUnits } from '../lines/conversions.ts';
import { inShownUnit } from '../lines/expression.ts';
import { followed, followedRange } from '../lines/followed.ts';
import { isOutside, type Limits } from '../lines/limits.ts';
import { reader } from '../lines/reader.ts';
import type { TopicStreams } from '../state/by-topic.ts';
import { stable } from '../state/stable.ts';
import { isLive, mode, streams } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { loaded } from '../ui/loading.ts';
import { resting } from '../ui/resting.ts';
import { afterwards } from '../ui/turns.ts';
import { restedRange } from './range.ts';

/** A query calculates so many columns at most. */
const mostCounted = 100;

type Rows = TopicStreams & TimeRange;
type Limited = readonly (readonly [id: string, limits: Limits])[];

/** Channels that have limits. */
const limited = stable<Limited>(() =>
  (openParameters.value.value ?? [])
    .filter(({ type }) => type === 'Numeric')
    .flatMap(({ id }) => {
      const limits = limitsOf(id);
      return limits === undefined ? [] : [[id, limits] as const];
    }),
);

/** What is followed is looked at again and again, as it is then. */
const changes = computed(() => (isLive.value && limited.value.length > 0 ? followed.value : undefined));
const { now, read } = resting(changes, { ms: 1500, times: 10 });

/** Which channels leave their limits: of each topic and unit one request for all, and one that counts rows of those that are plotted. */
const load = loaded<ReadonlyMap<string, Outside>>(() => {
  const service = reader.value;
  const isMoving = isLive.value;
  const range = isMoving ? followedRange() : restedRange.value;
  const open = streams.value;
  const channels = limited.value;
  const plotted = plottedNumbers.value;
  const isSeen = mode.value === 'time' && channels.length > 0 && open.length > 0;
  if (service === undefined || range === undefined || !isSeen) return undefined;
  const places = byUnits(open).map((place): Rows => ({ ...place, ...range }));
  const loadAll = afterwards(async (signal) => {
    const loads = places.map(async (rows) => {
      const found = await loadOutside(service, rows, channels, signal);
      const counted = channels.filter(([id]) => found.has(id) && plotted.includes(id)).slice(0, mostCounted);
      const counts = await countOutside(service, rows, counted, signal).catch(
        () => new Map<string, number>(),
      );
      return new Map([...found].map(([id, own]) => [id, { ...own, rows: counts.get(id) }]));
    });
    return joined(await Promise.all(loads));
  });
  return isMoving ? (signal) => read(() => loadAll(signal)) : loadAll;
}, now);

/** What several of them have together. */
function joined(all: readonly ReadonlyMap<string, Outside>[]): Map<string, Outside> {
  const found = new Map<string, Outside>();
  for (const [id, own] of all.flatMap((of) => [...of])) {
    const known = found.get(id);
    if (known === undefined) found.set(id, own);
    else {
      const isCounted = known.rows !== undefined && own.rows !== undefined;
      found.set(id, {
        low: Math.min(known.low, own.low),
        high: Math.max(known.high, own.high),
        rows: isCounted ? known.rows + own.rows : undefined,
      });
    }
  }
  return found;
}

const none: ReadonlyMap<string, Outside> = new Map();

effect(() => {
  const { value, error } = load.value;
  // Of another range it would be false.
  outside.value = (error === undefined ? value : undefined) ?? none;
});

async function loadOutside(
  service: Client,
  rows: Rows,
  channels: Limited,
  signal: AbortSignal,
): Promise<Map<string, Pick<Outside, 'low' | 'high'>>> {
  const numericParameters = channels.flatMap(([parameterName]) =>
    (['Min', 'Max'] as const).map((aggregationType) => ({ parameterName, aggregationType })),
  );
  const { numericValues } = await service.query({ ...rows, numericParameters }, { signal });
  const found = new Map<string, Pick<Outside, 'low' | 'high'>>();
  for (const [id, limits] of channels) {
    const [low, high] = [numericValues[`min(${id})`]?.[0] ?? null, numericValues[`max(${id})`]?.[0] ?? null];
    if (low !== null && high !== null && isOutside(limits, low, high)) found.set(id, { low, high });
  }
  return found;
}

async function countOutside(
  service: Client,
  rows: Rows,
  channels: Limited,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  if (channels.length === 0) return new Map();
  const calculatedParameters = channels.map(([id, { least, largest }], i) => {
    const own = inShownUnit(id, rows);
    const below = least === undefined ? [] : [`${own} < ${least}`];
    const above = largest === undefined ? [] : [`${own} > ${largest}`];
    return {
      name: `outside ${i}`,
      expression: [...below, ...above].join(' || '),
      aggregationType: 'Sum' as const,
    };
  });
  const { numericValues } = await service.query({ ...rows, calculatedParameters }, { signal });
  return new Map(channels.map(([id], i) => [id, numericValues[`sum(outside ${i})`]?.[0] ?? 0]));
}
