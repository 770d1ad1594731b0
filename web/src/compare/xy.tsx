import { useSignal } from '@preact/signals';
import { unitOf } from '../look/axes.ts';
import { openParameters } from '../look/catalogue.ts';
import { colourAt } from '../look/colours.ts';
import { spanOf } from '../look/points.ts';
import { restedRange } from '../look/range.ts';
import { exactText, numberText } from '../look/reading.ts';
import { durationText, spanText, timeText } from '../look/time-text.ts';
import { plotWidth } from '../look/width.ts';
import { client } from '../session.ts';
import { mode, show, streams } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { loaded } from '../ui/loading.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { Legend } from './legend.tsx';
import { axes, overlay } from './overlay-state.ts';
import { TagChoices } from './tag-choices.tsx';
import { shadeColour, XyChart, type XyLine, type XyPlace } from './xy-chart.tsx';
import { loadXy, type XyRows } from './xy-load.ts';
import { reach } from './xy-scales.ts';

/** More rows than this cannot be told apart. */
const mostRows = 50_000;

interface XyLoad {
  readonly range: TimeRange;
  readonly lines: readonly XyLine[];
}

const load = loaded<XyLoad>(() => {
  const service = client.value;
  const range = restedRange.value;
  const { tag, values } = overlay.value;
  const parts = tag === '' || values.length === 0 ? [''] : values;
  const open = streams.value;
  const names = axes.value;
  const isSeen = mode.value === 'xy' && open.length > 0 && names[0] !== '' && names[1] !== '';
  if (service === undefined || range === undefined || !isSeen) return undefined;
  const wishes = open.flatMap((stream) => parts.map((value) => ({ stream, tag, value })));
  const most = Math.ceil(mostRows / wishes.length);
  return async (signal) => {
    const loads = wishes.map((wish) => loadXy(service, wish, names, range, most, signal));
    const lines = (await Promise.all(loads)).map((rows, i): XyLine => {
      const { stream, value } = wishes[i]!;
      const label = value === '' ? stream.streamId : `${tag} ${value} of ${stream.streamId}`;
      return { label, colour: colourAt(i), rows };
    });
    return { range, lines };
  };
});

/** One parameter over another, coloured by a third: a track map, most of all. */
export function XyPlot() {
  const { value, error, busy, retry } = load.value;
  const marked = useSignal<XyPlace | undefined>(undefined);
  const [x, y, shade] = axes.value;
  const numeric = (openParameters.value.value ?? []).filter(({ type }) => type === 'Numeric');
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
    <section class="plots" aria-label="One parameter over another" aria-busy={busy}>
      <div class="choices">
        {choose(0, 'Across', 'choose…')}
        {choose(1, 'Up', 'choose…')}
        {choose(2, 'Colour', 'line')}
        <TagChoices />
        {shade !== '' && value !== undefined && (
          <span class="scale">
            {numberText(low)}
            <span class="ramp">
              {Array.from({ length: 12 }, (_, i) => (
                <span key={shadeColour(i / 11)} style={{ background: shadeColour(i / 11) }} />
              ))}
            </span>
            {numberText(high)} {unitOf(shade)}
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
        <>
          <p class="xy-reading">
            <output aria-label="Row at the cursor">
              {marked.value && <RowText load={value} place={marked.value} />}
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
          <XyChart
            title={`${y} over ${x}`}
            xLabel={`${x} ${unitOf(x)}`}
            yLabel={`${y} ${unitOf(y)}`}
            lines={lines}
            width={plotWidth.value}
            height={Math.max(320, Math.min(640, plotWidth.value * 0.6))}
            isMap={unitOf(x) !== '' && unitOf(x) === unitOf(y)}
            marked={marked.value}
            onPoint={(place) => {
              marked.value = place;
            }}
          />
        </>
      )}
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
function RowText({ load, place }: { load: XyLoad; place: XyPlace }) {
  const line = load.lines[place.line];
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
    <>
      {load.lines.length > 1 && `${label}: `}
      {values.map((text) => text.trim()).join(', ')}{' '}
      <span class="soft">
        {rows.bucket === undefined
          ? timeText(time)
          : `first row of ${spanText(spanOf(time, rows.bucket, load.range))}`}
      </span>
    </>
  );
}
