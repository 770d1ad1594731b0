import { lookOfLine } from '../lines/colours.ts';
import { Swatch } from '../lines/swatch.tsx';
import { isStream } from '../state/same-stream.ts';
import { mode, sectors, show } from '../state/view.ts';
import type { LapRef } from '../state/view-text.ts';
import { WideTable } from '../ui/wide-table.tsx';
import { lapName } from './overlay-plot.tsx';
import { comparedLaps } from './overlay-state.ts';
import { isAlongWay, wayOfLap } from './sector-marks.ts';
import { type SplitLap, timesOf, totalOf, whyNoTime } from './sector-times.ts';
import { beacon, sectorCount } from './sectors.ts';

/** `−0.123`: seconds; less is faster. */
function gainText(seconds: number | undefined): string {
  return seconds === undefined ? '–' : `${seconds < 0 ? '−' : '+'}${Math.abs(seconds).toFixed(3)}`;
}

/** What each compared lap loses or gains in each sector against the first one. */
export function SectorGains({ laps }: { laps: readonly SplitLap[] }) {
  const compared = mode.value === 'overlay' ? comparedLaps.value : [];
  const splitOf = (lap: LapRef) =>
    laps.find((split) => split.lap.value === lap.value && isStream(split.lap.stream, lap.stream));
  const [first, ...others] = compared;
  const reference = first && splitOf(first);
  if (reference === undefined || others.length === 0)
    return <p class="soft">Tick two laps under Laps to see in which sectors one gains on the other.</p>;
  const base = timesOf(reference);
  const columns = Array.from({ length: sectorCount.value }, (_, i) => `S${i + 1}`);
  return (
    <WideTable label="Gains by sector">
      <table class="lap-table sector-table">
        <caption>
          To {lapName(reference.lap)} <span class="soft">s; − is faster</span>
        </caption>
        <thead>
          <tr>
            <th scope="col">Lap</th>
            {columns.map((name, i) => (
              <th key={name} scope="col">
                {beacon.value === undefined && isAlongWay() ? (
                  <button type="button" class="quiet" title="Zoom to this sector" onClick={() => zoomTo(i)}>
                    {name}
                  </button>
                ) : (
                  name
                )}
              </th>
            ))}
            <th scope="col">Time</th>
          </tr>
        </thead>
        <tbody>
          {others.map((lap) => {
            const own = splitOf(lap);
            const times = own && timesOf(own);
            const gains = columns.map((_, i) => {
              const [now, then] = [times?.[i], base[i]];
              return now === undefined || then === undefined ? undefined : now - then;
            });
            const whyNone = (i: number) => {
              const missing = times?.[i] === undefined ? own : reference;
              return gains[i] === undefined && missing ? whyNoTime(missing, i) : undefined;
            };
            return (
              <tr key={lapName(lap)}>
                <th scope="row" title={lapName(lap)}>
                  <Swatch look={lookOfLine(compared.indexOf(lap))} /> {lap.value}
                </th>
                {gains.map((gain, i) => (
                  <td
                    key={columns[i]}
                    class={gain !== undefined && gain < 0 ? 'best' : ''}
                    title={whyNone(i)}
                  >
                    {gainText(gain)}
                  </td>
                ))}
                <td>{gainText(totalOf(gains))}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </WideTable>
  );
}

function zoomTo(sector: number): void {
  const marks = sectors.peek();
  const end = marks[sector] ?? wayOfLap();
  if (end !== undefined) show({ across: [marks[sector - 1] ?? 0, end] });
}
