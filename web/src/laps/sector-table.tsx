import { streamName } from '../runs/stream-name.ts';
import { isStream } from '../state/same-stream.ts';
import { show, streams } from '../state/view.ts';
import { WideTable } from '../ui/wide-table.tsx';
import { lapTimeText } from './lap-list.ts';
import { type LapRow, notWhole } from './lap-rows.ts';
import { lapName } from './overlay-plot.tsx';
import {
  type BestSector,
  bestSectors,
  rollingBest,
  type SplitLap,
  timesOf,
  totalOf,
  whyNoTime,
} from './sector-times.ts';
import { sectorCount } from './sectors.ts';

/** Times of sectors to the millisecond. */
export function secondsText(seconds: number | undefined): string {
  return seconds === undefined ? '–' : lapTimeText(BigInt(Math.round(seconds * 1e9)));
}

/** All laps of the open runs, sector by sector, with the best of each and what a lap of these would be. */
export function SectorTable({ laps }: { laps: readonly SplitLap[] }) {
  const count = sectorCount.value;
  const best = bestSectors(laps, count);
  const rolling = rollingBest(laps, count);
  const columns = Array.from({ length: count }, (_, i) => `S${i + 1}`);
  return (
    <WideTable label="Times of sectors">
      <table class="lap-table sector-table">
        <thead>
          <tr>
            <th scope="col">Lap</th>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col">Time</th>
          </tr>
        </thead>
        {streams.value.map((stream) => {
          const own = laps.filter(({ lap }) => isStream(lap.stream, stream));
          if (own.length === 0) return null;
          return (
            <tbody key={`${stream.topic}/${stream.streamId}`}>
              {streams.value.length > 1 && (
                <tr>
                  <th colSpan={count + 2} scope="rowgroup" class="of-text">
                    {streamName(stream)}
                  </th>
                </tr>
              )}
              {own.map((split) => (
                <SplitRow key={split.lap.value} split={split} best={best} />
              ))}
            </tbody>
          );
        })}
        <tfoot>
          <tr>
            <th scope="row">Best</th>
            {best.map((own, i) => (
              <td key={columns[i]}>{secondsText(own?.seconds)}</td>
            ))}
            <td />
          </tr>
          <TotalRow
            name="Theoretical best"
            title="The sum of the best times of all sectors"
            columns={count}
            seconds={totalOf(best.map((own) => own?.seconds))}
            note={lapsText(best)}
          />
          <TotalRow
            name="Rolling best"
            title="The fastest lap that begins at any sector; it may end in the next lap"
            columns={count}
            seconds={rolling?.seconds}
            note={rolling === undefined ? '' : `from S${rolling.from + 1} of lap ${rolling.lap.value}`}
          />
        </tfoot>
      </table>
    </WideTable>
  );
}

/** Which laps the best sectors are of; empty where a sector has no time. */
function lapsText(best: readonly (BestSector | undefined)[]): string {
  if (best.includes(undefined)) return '';
  const nameOf = (lap: LapRow) => (streams.value.length > 1 ? lapName(lap) : lap.value);
  const names = [...new Set(best.flatMap((own) => (own === undefined ? [] : [nameOf(own.lap)])))];
  return names.length === 1 ? `of lap ${names[0]} alone` : `of laps ${names.join(', ')}`;
}

function TotalRow({
  name,
  title,
  note,
  columns,
  seconds,
}: {
  name: string;
  title: string;
  note: string;
  columns: number;
  seconds: number | undefined;
}) {
  return (
    <tr>
      <th scope="row" colSpan={columns + 1} title={title} class="of-text">
        {name} <span class="soft">{note}</span>
      </th>
      <td>{secondsText(seconds)}</td>
    </tr>
  );
}

function SplitRow({ split, best }: { split: SplitLap; best: readonly (BestSector | undefined)[] }) {
  const { lap, whyNot } = split;
  const times = timesOf(split);
  return (
    <tr class={lap.isWhole ? '' : 'not-whole'}>
      <th scope="row">{lap.value}</th>
      {times.map((seconds, i) => {
        const name = `S${i + 1}`;
        const isLeast = seconds !== undefined && seconds === best[i]?.seconds;
        // One lap alone is not the best of any.
        const isBest = isLeast && best[i]!.isOfSeveral;
        const behind =
          seconds === undefined || isLeast
            ? undefined
            : `${(seconds - best[i]!.seconds).toFixed(3)} s slower than the best`;
        return (
          <td
            key={name}
            class={isBest ? 'best' : ''}
            title={seconds === undefined ? whyNoTime(split, i) : behind}
          >
            {seconds === undefined ? (
              <span>–</span>
            ) : (
              <button
                type="button"
                class="quiet"
                aria-label={`${name} of lap ${lap.value}: ${secondsText(seconds)}${isBest ? ', the best' : ''}`}
                onClick={() => showSector(lap, i === 0 ? 0 : split.ends[i - 1]!, split.ends[i]!)}
              >
                {secondsText(seconds)}
              </button>
            )}
          </td>
        );
      })}
      <td title={lap.whyNotWhole} class={lap.isWhole ? '' : 'why'}>
        {lap.isWhole ? lapTimeText(lap.end - lap.start) : (whyNot ?? notWhole)}
      </td>
    </tr>
  );
}

/** Zooms to a sector of a lap, over time. */
function showSector({ start }: LapRow, begin: number, end: number): void {
  const timeOf = (seconds: number) => start + BigInt(Math.round(seconds * 1e9));
  show({ mode: 'time', range: { from: timeOf(begin), to: timeOf(end) }, live: false });
}
