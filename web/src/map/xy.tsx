import { useMemo } from 'preact/hooks';
import { ChannelChoice } from '../channels/channel-choice.tsx';
import { axes } from '../laps/overlay-state.ts';
import { shownText } from '../lines/conversions.ts';
import { spanOf } from '../lines/points.ts';
import { shortText } from '../lines/reading.ts';
import { durationText, spanText, timeText } from '../lines/time-text.ts';
import { unitOf } from '../plots/axes.ts';
import { useSize } from '../plots/use-size.ts';
import { show, view } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { LeftOut } from './left-out.tsx';
import { Legend } from './legend.tsx';
import { Ramp } from './ramp.tsx';
import { XyChart, type XyLine, type XyPlace } from './xy-chart.tsx';
import { drawn, loading, marked, point } from './xy-drawn.ts';
import { XyExtras, XyWays } from './xy-extras.tsx';
import type { XyRows } from './xy-load.ts';
import { mapHeight } from './xy-scales.ts';

const noLines: readonly XyLine[] = [];

/** One parameter over another, coloured by a third; the cursor is that of the plots. */
export function XyPanel() {
  const { error, busy, retry } = loading.value;
  const value = drawn.value;
  const { host, size } = useSize<HTMLDivElement>();
  const [x, y, colour] = value?.names ?? axes.value;
  const isChosen = axes.value[0] !== '' && axes.value[1] !== '';
  const choose = (place: 0 | 1 | 2, label: string, none: string) => (
    <ChannelChoice
      label={label}
      chosen={axes.value[place]}
      none={none}
      onChoose={(id) => show({ xy: axes.value.with(place, id) as [string, string, string] })}
    />
  );
  const lines = value?.lines ?? noLines;
  const isEmpty = lines.every(({ rows }) => rows.x.length === 0);
  const isMap = unitOf(x) !== '' && unitOf(x) === unitOf(y);
  const rows = useMemo(() => lines.map((line) => line.rows), [lines]);
  const { width } = size.value;
  const needed = useMemo(() => (isMap ? mapHeight(rows, width) : 0), [isMap, rows, width]);
  return (
    <section class="xy-panel" aria-label="One parameter over another" aria-busy={busy}>
      <div class="choices">
        {choose(0, 'X', 'choose…')}
        {choose(1, 'Y', 'choose…')}
        {choose(2, 'Colour by', 'line')}
        <XyWays />
        {value?.shade !== undefined && (
          <span class="scale">
            {shortText(value.shade[0])}
            <Ramp steps={12} />
            {shortText(value.shade[1])} {unitOf(colour)}
          </span>
        )}
      </div>
      {error !== undefined && <Problem error={error} onRetry={retry} isAll={value === undefined} />}
      {!isChosen && (
        <Empty title="Choose two parameters">
          <p>X and Y of a position make a track map; any two others a scatter plot.</p>
        </Empty>
      )}
      {value !== undefined && value.shade === undefined && lines.length > 1 && <Legend lines={lines} />}
      {value !== undefined && isEmpty && !busy && (
        <Empty title="No row has both">
          <p>
            Here no row has numbers of {x} and {y}, and none of one follows soon enough on one of the other:
            they are written far apart in time, or not at all, or are NaN.
          </p>
        </Empty>
      )}
      {value !== undefined && !isEmpty && (
        <p class="xy-reading" style={{ '--lines': Math.min(2, lines.length) }}>
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
      {value !== undefined && !isEmpty && <LeftOut rows={rows} />}
      {value !== undefined && !isEmpty && <XyExtras lines={lines} />}
      <div
        class={`xy-room ${isMap ? 'map' : ''}`}
        ref={host}
        style={isMap ? { flexBasis: `${needed}px` } : undefined}
      >
        {value !== undefined && !isEmpty && size.value.width > 0 && (
          <XyChart
            title={`${y} over ${x}`}
            xLabel={`${x} ${unitOf(x)}`}
            yLabel={`${y} ${unitOf(y)}`}
            lines={lines}
            width={size.value.width}
            height={size.value.height}
            isMap={isMap}
            shade={value.shade}
            as={view.value.xyAs}
            extras={view.value.xyWith}
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
  const [x, y, shade] = rows.names;
  const columns = [
    [x, rows.x[place.row]],
    [y, rows.y[place.row]],
    ...(shade === '' ? [] : [[shade, rows.shade?.[place.row]] as const]),
  ] as const;
  const values = columns.map(
    ([name, value]) => `${name} ${shownText(name, value ?? Number.NaN)} ${unitOf(name)}`,
  );
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
