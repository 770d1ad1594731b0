import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { hasNumbers } from '../channels/parameter-entry.ts';
import { openParameters } from '../channels/parameters.ts';
import { axes } from '../laps/overlay-state.ts';
import { spanOf } from '../lines/points.ts';
import { exactText, shortText } from '../lines/reading.ts';
import { durationText, spanText, timeText } from '../lines/time-text.ts';
import { unitOf } from '../plots/axes.ts';
import { watchSize } from '../plots/width.ts';
import { isLive, show } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { Legend } from './legend.tsx';
import { viridis } from './viridis.ts';
import { XyChart, type XyLine, type XyPlace } from './xy-chart.tsx';
import { load, marked, point } from './xy-drawn.ts';
import type { XyRows } from './xy-load.ts';
import { reach } from './xy-scales.ts';

/** One parameter over another, coloured by a third; the cursor is that of the plots. */
export function XyPanel() {
  const { value, error, busy, retry } = load.value;
  const host = useRef<HTMLDivElement>(null);
  const size = useSignal({ width: 0, height: 0 });
  useLayoutEffect(
    () =>
      watchSize(host.current!, (now) => {
        size.value = now;
      }),
    [],
  );
  const [x, y, shade] = axes.value;
  const numeric = (openParameters.value.value ?? []).filter(hasNumbers);
  const choose = (place: 0 | 1 | 2, label: string, none: string) => (
    <label>
      {label}
      <select
        value={axes.value[place]}
        onChange={(event) =>
          show({ xy: axes.value.with(place, event.currentTarget.value) as [string, string, string] })
        }
      >
        <option value="">{none}</option>
        {numeric.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
  const lines = value?.lines ?? [];
  const isEmpty = lines.every(({ rows }) => rows.x.length === 0);
  const [low, high] = reach(lines.flatMap(({ rows }) => reach(rows.shade ?? [])));
  return (
    <section
      class="xy-panel"
      aria-label="One parameter over another"
      aria-busy={busy && !(isLive.value && value !== undefined)}
    >
      <div class="choices">
        {choose(0, 'X', 'choose…')}
        {choose(1, 'Y', 'choose…')}
        {choose(2, 'Colour by', 'line')}
        {shade !== '' && value !== undefined && (
          <span class="scale">
            {shortText(low)}
            <span class="ramp">
              {Array.from({ length: 12 }, (_, i) => (
                <span key={viridis(i / 11)} style={{ background: viridis(i / 11) }} />
              ))}
            </span>
            {shortText(high)} {unitOf(shade)}
          </span>
        )}
      </div>
      {error !== undefined && <Problem error={error} onRetry={retry} />}
      {(x === '' || y === '') && (
        <Empty title="Choose two parameters">
          <p>X and Y of a position make a track map; any two others a scatter plot.</p>
        </Empty>
      )}
      {value !== undefined && shade === '' && lines.length > 1 && <Legend lines={lines} />}
      {value !== undefined && isEmpty && !busy && (
        <Empty title="No row has both">
          <p>
            Here no row holds {x} and {y} together: they are written at different times, or not at all.
          </p>
        </Empty>
      )}
      {value !== undefined && !isEmpty && (
        <p class="xy-reading">
          <output aria-label="Row at the cursor">
            {marked.value.map((place) => (
              <RowText key={place.line} range={value.range} lines={lines} place={place} />
            ))}
          </output>
          {lines.map(({ label, rows }) =>
            rows.of === undefined ? null : (
              <span key={label} class="pixel soft">
                {lines.length > 1 && `${label}: `}
                {drawnText(rows, rows.of)}
              </span>
            ),
          )}
        </p>
      )}
      <div class="xy-room" ref={host}>
        {value !== undefined && !isEmpty && size.value.width > 0 && (
          <XyChart
            title={`${y} over ${x}`}
            xLabel={`${x} ${unitOf(x)}`}
            yLabel={`${y} ${unitOf(y)}`}
            lines={lines}
            width={size.value.width}
            height={size.value.height}
            isMap={unitOf(x) !== '' && unitOf(x) === unitOf(y)}
            marked={marked.value}
            onPoint={point}
          />
        )}
      </div>
    </section>
  );
}

/** Which rows are drawn, where it is not all of them. */
function drawnText({ x, bucket }: XyRows, of: number): string {
  const drawn = x.length.toLocaleString('en');
  const all = of.toLocaleString('en');
  return bucket === undefined
    ? `the first ${drawn} of ${all} rows`
    : `${drawn} of ${all} rows: the first in every ${durationText(bucket)}`;
}

/** The values of a row, with every digit, and its time. */
function RowText({ lines, range, place }: { lines: readonly XyLine[]; range: TimeRange; place: XyPlace }) {
  const line = lines[place.line];
  const time = line?.rows.times[place.row];
  if (line === undefined || time === undefined) return null;
  const { rows, label } = line;
  const [x, y, shade] = axes.value;
  const columns = [
    [x, rows.x[place.row]],
    [y, rows.y[place.row]],
    ...(shade === '' ? [] : [[shade, rows.shade?.[place.row]] as const]),
  ] as const;
  const values = columns.map(([name, value]) => `${name} ${exactText(value ?? Number.NaN)} ${unitOf(name)}`);
  return (
    <span class="row-text">
      {lines.length > 1 && `${label}: `}
      {values.map((text) => text.trim()).join(', ')}{' '}
      <span class="soft">
        {rows.bucket === undefined
          ? timeText(time)
          : `first row of ${spanText(spanOf(time, rows.bucket, range))}`}
      </span>
    </span>
  );
}
