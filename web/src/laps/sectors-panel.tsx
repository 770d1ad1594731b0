import { useEffect } from 'preact/hooks';
import { mostSectors, roundMark } from '../state/sector-texts.ts';
import { sectors } from '../state/view.ts';
import { DraftField } from '../ui/draft-field.tsx';
import { Problem } from '../ui/notice.tsx';
import { typedNumber } from '../ui/typed.ts';
import { BeaconChoice } from './beacon-choice.tsx';
import { lapList } from './lap-list.ts';
import { isLapSourceComing, isLapSourceKnown } from './lap-source.ts';
import { lapWays, wayEntry } from './lap-ways.ts';
import { NoLaps } from './no-laps.tsx';
import { SectorGains } from './sector-gains.tsx';
import { isMarking, setMarks, stopMarking, wayOfLap } from './sector-marks.ts';
import { SectorTable } from './sector-table.tsx';
import { beacon, sectorCount, splitLaps } from './sectors.ts';

/** Laps by their sectors: where these end, a table over all laps, and what one lap gains on another. */
export function SectorsPanel() {
  const { value, busy, error, retry } = splitLaps.value;
  const retryAll = () => {
    if (lapWays.value.error !== undefined) lapWays.value.retry();
    retry();
  };
  const isBusy = busy || lapList.value.busy;
  const hasMarks = beacon.value !== undefined || sectors.value.length > 0;
  return (
    <section class="sectors" aria-label="Sectors" aria-busy={isBusy}>
      <div class="choices">
        {beacon.value === undefined && wayEntry.value !== undefined && <Marks />}
        <BeaconChoice />
      </div>
      {error !== undefined && <Problem error={error} onRetry={retryAll} isAll={value === undefined} />}
      {lapList.value.value === undefined && !isBusy && !isLapSourceComing.value && isLapSourceKnown.value && (
        <NoLaps />
      )}
      {!hasMarks && <HowToMark />}
      {value !== undefined && hasMarks && (
        <>
          <SectorGains laps={value} />
          {sectorCount.value > 0 && <SectorTable laps={value} />}
        </>
      )}
    </section>
  );
}

function HowToMark() {
  return (
    <p class="soft">
      {wayEntry.value === undefined
        ? 'No channel counts the distance of a lap. Choose beacons: events, or a channel that rises at each beacon.'
        : 'Type the distances at which sectors end. Or press M: it ends a sector at the cursor, over distance and on the map. Or press "Set by clicks", and click there.'}
    </p>
  );
}

/** Into so many parts a lap is cut by one click. */
const usualParts = 3;

/** Marks along the way, as numbers, by clicks, or in equal parts. */
function Marks() {
  const { unit = '', name = '' } = wayEntry.value ?? {};
  const way = wayOfLap();
  const isFromStart = lapWays.value.value?.ways.some((own) => own.isFromStart);
  useEffect(() => stopMarking, []);
  return (
    <>
      <DraftField
        class="marks"
        label={`Sectors end at${unit === '' ? '' : ` (${unit})`}`}
        title={`Values of ${name} with spaces between them. The last sector ends at the line.`}
        placeholder="1200 2500"
        value={sectors.value.join(' ')}
        onCommit={(text) => {
          const parts = text.split(/[\s;]+/).filter((part) => part !== '');
          const marks = parts.map(typedNumber);
          const isAll = (all: readonly (number | undefined)[]): all is number[] =>
            all.every((mark) => mark !== undefined && mark > 0);
          if (!isAll(marks)) return 'Type numbers above 0 with spaces between them, such as 1200 2500';
          if (marks.length >= mostSectors) return `A lap has ${mostSectors} sectors at most`;
          if (way !== undefined && marks.some((mark) => mark >= way))
            return `A lap is ${roundMark(way, way)} ${unit} long`.trim();
          setMarks(marks);
          return undefined;
        }}
      />
      <span class="soft">
        along {name}
        {isFromStart && ', from the start of each lap'}
      </span>
      <button
        type="button"
        aria-pressed={isMarking.value}
        title="Then a click on the map, or on the plots over distance, ends a sector there. A second click takes the end away."
        onClick={() => {
          isMarking.value = !isMarking.value;
        }}
      >
        Set by clicks
      </button>
      {way !== undefined && (
        <button
          type="button"
          onClick={() =>
            setMarks(
              Array.from({ length: usualParts - 1 }, (_, i) => roundMark((way * (i + 1)) / usualParts, way)),
            )
          }
        >
          {usualParts} equal parts
        </button>
      )}
    </>
  );
}
