import { computed, effect, signal, untracked } from '@preact/signals';
import type { Client } from '../../../src/client/client.ts';
import { followed } from '../lines/followed.ts';
import { reader } from '../lines/reader.ts';
import { type Trace, type TraceLoad, timeAt } from '../lines/traces.ts';
import { refreshes } from '../runs/found.ts';
import { isStream } from '../state/same-stream.ts';
import { isLive, streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { resting } from '../ui/resting.ts';
import { calculatedOverview, loadBuckets, overview } from './overview.ts';
import { grownSpark, type Spark, type SparkPiece } from './spark.ts';

type Sparks = ReadonlyMap<string, Spark>;

const ofWritten = computed(() => overview.value.value);
const ofCalculated = computed(() => calculatedOverview.value.value);
/** As they were read of the run. */
const known = computed(() => {
  const [written, calculated] = [ofWritten.value, ofCalculated.value];
  const stream = (written ?? calculated)?.stream;
  return stream && { stream, sparks: new Map([...(written?.sparks ?? []), ...(calculated?.sparks ?? [])]) };
});
/** The same with what was written since, while live data is followed. */
const sparks = signal<Sparks>(new Map());

/** A channel over all of the first open run; undefined where it is not known. */
export function sparkOf(id: string): Spark | undefined {
  return sparks.value.get(id);
}

/** Where nothing is plotted, nothing is followed, and it is looked at with the list of runs. */
const changes = computed(() => (isLive.value ? [followed.value, refreshes.value] : undefined));
const { now, read } = resting(changes, { ms: 1500, times: 10 });
let grownFrom: unknown;

effect(() => {
  now.value;
  const base = known.value;
  if (grownFrom !== base) {
    grownFrom = base;
    sparks.value = base?.sparks ?? new Map();
  }
  const service = reader.value;
  const [stream] = streams.value;
  const isOwn = base !== undefined && stream !== undefined && isStream(base.stream, stream);
  if (!isLive.value || service === undefined || !isOwn) return undefined;
  const asking = new AbortController();
  const growing = untracked(() =>
    read(() => grow(service, stream, sparks.peek(), followed.peek(), asking.signal)),
  );
  growing.then(
    (grown) => {
      if (!asking.signal.aborted) sparks.value = grown;
    },
    // It is asked for again.
    () => undefined,
  );
  return () => asking.abort(new Error('it is asked for anew'));
});

/** Sparks as far as rows go now: by what is followed, and of other channels by what the service says. */
async function grow(
  service: Client,
  stream: StreamRef,
  old: Sparks,
  load: TraceLoad | undefined,
  signal: AbortSignal,
): Promise<Sparks> {
  const grown = new Map(old);
  const own =
    load?.traces.filter((trace) => trace.texts === undefined && isStream(trace.stream, stream)) ?? [];
  const isFollowed = new Set<string>();
  for (const trace of own) {
    const spark = old.get(trace.parameter);
    const { from, to } = load!.range;
    if (spark === undefined) continue;
    const pieces = piecesOf(trace, load!.origin, spark.to);
    // What was written between may still be on its way, as where something else is followed from now on.
    const earliest = pieces.at(-1)?.time;
    if (from <= spark.to && (earliest === undefined || earliest > spark.to)) continue;
    isFollowed.add(trace.parameter);
    if (to < spark.to) continue;
    // Something came that was not seen, as while the tab was hidden.
    if (from > spark.to) readAgain(trace.parameter);
    grown.set(trace.parameter, grownSpark(spark, pieces, trace.live?.newest?.value, to));
  }
  const others = [...old].filter(([id]) => !isFollowed.has(id));
  return new Map([...grown, ...(await grownOthers(service, stream, others, load?.range.to, signal))]);
}

function readAgain(parameter: string): void {
  for (const { value, busy, retry } of [overview.peek(), calculatedOverview.peek()])
    if (!busy && value?.sparks.has(parameter)) retry();
}

/** Rows may come so much later than newer ones, ns. */
const lateness = 10_000_000_000n;

async function grownOthers(
  service: Client,
  stream: StreamRef,
  others: readonly (readonly [id: string, spark: Spark])[],
  newest: bigint | undefined,
  signal: AbortSignal,
): Promise<(readonly [string, Spark])[]> {
  const [first] = others;
  if (first === undefined) return [];
  const since = others.reduce((least, [, { to }]) => (to < least ? to : least), first[1].to);
  const names = others.map(([id]) => id);
  const range = { from: since - lateness };
  const data = await loadBuckets(service, stream, names, range, first[1].bucket, signal);
  const end = data.timestamps.reduce((latest, time) => (time > latest ? time : latest), newest ?? since);
  return others.map(([id, spark]) => {
    const column = (aggregation: string) => data.numericValues[`${aggregation}(${id})`] ?? [];
    const [low, high] = [column('min'), column('max')];
    const pieces = data.timestamps.flatMap((time, row): SparkPiece[] =>
      low[row] == null || high[row] == null ? [] : [{ time, low: low[row], high: high[row] }],
    );
    const last = column('last').findLast((value) => value !== null) ?? undefined;
    return [id, grownSpark(spark, pieces, last, end)] as const;
  });
}

/** What is drawn of a channel since a time, and the point before it, which may have got more rows. */
function piecesOf({ points: { x, low, high } }: Trace, origin: bigint, since: bigint): SparkPiece[] {
  const pieces: SparkPiece[] = [];
  for (let i = x.length - 1; i >= 0; i--) {
    const time = timeAt(origin, x[i]!);
    pieces.push({ time, low: low[i]!, high: high[i]! });
    if (time < since) break;
  }
  return pieces;
}
