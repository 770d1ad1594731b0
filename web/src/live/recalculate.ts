import type { Client } from '../../../src/client/client.ts';
import type { ParameterEntry } from '../channels/parameter-entry.ts';
import { channelParts } from '../lines/expression.ts';
import type { Points } from '../lines/points.ts';
import { type LiveRows, loadTraces, type Trace, type TraceLoad } from '../lines/traces.ts';
import { countersAmong } from '../math/counters.ts';
import type { StreamRef } from '../state/view-text.ts';

/** How a channel is followed: the hub sends it, or it is worked out again and again of what is seen. */
export interface Followed {
  readonly sent: readonly string[];
  readonly calculated: readonly string[];
}

/**
 * The hub knows no channels of the view, and begins integrals and sums with the subscription, not with what is seen. What
 * these are worked out from is sent, plotted or not: so it is known when there is something new.
 */
export function followedOf(plotted: readonly string[], known: readonly ParameterEntry[]): Followed {
  const entries = new Map(known.map((entry) => [entry.id, entry]));
  const counts = countersAmong(known);
  const isCalculated = (id: string) => entries.get(id)?.isOfView === true || counts(id);
  const calculated = plotted.filter(isCalculated);
  const operandsOf = (id: string, seen: readonly string[]): string[] => {
    if (seen.includes(id)) return [];
    if (!isCalculated(id)) return entries.has(id) ? [id] : [];
    return channelParts(entries.get(id)!.expression).flatMap(({ text }) => operandsOf(text, [...seen, id]));
  };
  const sent = [
    ...plotted.filter((id) => !isCalculated(id)),
    ...calculated.flatMap((id) => operandsOf(id, [])),
  ];
  return { sent: [...new Set(sent)], calculated };
}

/** At least so long between two queries, and so many times as long as the last one took: the service has others. */
const pauseMs = 400;
const pauseTimes = 4;

/** Works channels out for what is seen, again when it has moved on, until `signal` aborts. */
export async function recalculate(
  service: Client,
  streams: readonly StreamRef[],
  names: readonly string[],
  seen: () => { readonly load: TraceLoad; readonly width: number } | undefined,
  onTraces: (traces: readonly Trace[]) => void,
  signal: AbortSignal,
): Promise<void> {
  if (names.length === 0) return;
  const wanted = { numbers: names, texts: [] };
  let newest: bigint | undefined;
  while (!signal.aborted) {
    const began = performance.now();
    const now = seen();
    if (now !== undefined && now.load.range.to !== newest) {
      const { range, origin } = now.load;
      try {
        const load = await loadTraces(service, streams, wanted, range, now.width, signal, origin);
        onTraces(load.traces.map((trace) => ({ ...trace, live: liveRows(trace.points) })));
        newest = range.to;
      } catch {
        // What is drawn stays; the next round asks again.
      }
    }
    const pause = Math.max(pauseMs, pauseTimes * (performance.now() - began));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** The rows behind points; of points that stand for several rows none, and no value where the last of them has two. */
function liveRows({ x, low, high, bucket, span }: Points): LiveRows {
  const last = x.length - 1;
  const isOne = last >= 0 && low[last] === high[last];
  const isRows = bucket === undefined;
  return {
    newest: isOne ? { time: span(last).to, value: high[last]! } : undefined,
    rows: () => ({
      times: isRows ? x.map((seconds) => Math.round(seconds * 1e9)) : new Float64Array(),
      values: isRows ? high : new Float64Array(),
    }),
  };
}
