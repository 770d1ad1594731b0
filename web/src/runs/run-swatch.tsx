import { lookOfLine } from '../lines/colours.ts';
import { Swatch } from '../lines/swatch.tsx';
import { isStream } from '../state/same-stream.ts';
import { lapsBy, mode, streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';

/** Which lines are the run's, where several are open and colours do not tell laps. */
export function RunSwatch({ run }: { run: StreamRef }) {
  const open = streams.value;
  const place = open.findIndex((own) => isStream(own, run));
  const isOfLaps = mode.value === 'overlay' && (lapsBy.value?.kind ?? 'none') !== 'none';
  return open.length < 2 || place < 0 || isOfLaps ? null : (
    <Swatch look={{ ...lookOfLine(place), isBold: false }} />
  );
}
