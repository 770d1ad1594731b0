import { isWaiting, valueText } from '../lines/reading.ts';
import type { TraceLoad } from '../lines/traces.ts';
import { streamName } from '../runs/stream-name.ts';
import { plots, streams } from '../state/view.ts';
import { unitOf } from './axes.ts';
import { cursorTime, keyTime } from './cursor.ts';
import { drawn } from './drawn.ts';
import { readTrace } from './read-trace.ts';

/** The values at the cursor for who moves it by keys and does not see the plots: in one sentence, in their order. */
export function SpokenValues() {
  const [time, load] = [cursorTime.value, drawn.value];
  const isByKeys = time !== undefined && time === keyTime.value;
  return (
    <output class="unseen" aria-label="Values at the cursor">
      {isByKeys && load !== undefined && textAt(time, load)}
    </output>
  );
}

function textAt(time: bigint, load: TraceLoad): string {
  const traces = plots.value
    .flat()
    .flatMap((parameter) => load.traces.filter((trace) => trace.parameter === parameter));
  const readings = traces.map((trace) => readTrace(trace, load.origin, time));
  // It is said once, when all rows are read.
  if (readings.some((reading) => reading && isWaiting(reading))) return '';
  return traces
    .map((trace, i) => {
      const reading = readings[i];
      const run = streams.value.length > 1 ? ` of ${streamName(trace.stream)}` : '';
      const value = reading === undefined ? 'no value' : `${valueText(reading)} ${unitOf(trace.parameter)}`;
      return `${trace.parameter}${run}: ${value.trim()}`;
    })
    .join(', ');
}
