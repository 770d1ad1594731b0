import { valueText } from '../lines/reading.ts';
import { secondsFrom, type TraceLoad } from '../lines/traces.ts';
import { streamName } from '../runs/stream-name.ts';
import { plots, streams } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { drawnWidth, unitOf } from './axes.ts';
import { cursorTime, keyTime, reachPixels } from './cursor.ts';
import { drawn, drawnRange } from './drawn.ts';
import { readTrace } from './read-trace.ts';

/** The values at the cursor for who moves it by keys and does not see the plots: in one sentence, in their order. */
export function SpokenValues() {
  const [time, load, shown] = [cursorTime.value, drawn.value, drawnRange.value];
  const isByKeys = time !== undefined && time === keyTime.value;
  return (
    <output class="unseen" aria-label="Values at the cursor">
      {isByKeys && load !== undefined && shown !== undefined && textAt(time, load, shown)}
    </output>
  );
}

function textAt(time: bigint, load: TraceLoad, shown: TimeRange): string {
  const reach = (secondsFrom(shown.from, shown.to) / drawnWidth.value) * reachPixels;
  const at = secondsFrom(load.origin, time);
  return plots.value
    .flat()
    .flatMap((parameter) => load.traces.filter((trace) => trace.parameter === parameter))
    .map((trace) => {
      const reading = readTrace(trace, at, reach);
      const run = streams.value.length > 1 ? ` of ${streamName(trace.stream)}` : '';
      const value = reading === undefined ? 'no value' : `${valueText(reading)} ${unitOf(trace.parameter)}`;
      return `${trace.parameter}${run}: ${value.trim()}`;
    })
    .join(', ');
}
