import type { Client, TagFilter } from '../../../src/client/client.ts';
import { openParameters } from '../look/catalogue.ts';
import { colourAt } from '../look/colours.ts';
import { numberText } from '../look/cursor.ts';
import { restedRange } from '../look/range.ts';
import { bucketFor } from '../look/traces.ts';
import { plotWidth } from '../look/width.ts';
import { client } from '../session.ts';
import { stable } from '../state/stable.ts';
import { show, streams, view } from '../state/view.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { loaded } from '../ui/loading.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { Legend } from './legend.tsx';
import { type Line, LineChart, reach, shadeColour } from './line-chart.tsx';
import { overlay } from './overlay-state.ts';
import { TagChoices } from './tag-choices.tsx';

const axes = stable(() => view.value.xy);

/** More points than this cannot be told apart; buckets stand in for them. */
const mostPoints = 6000;

const load = loaded<Line[]>(() => {
  const service = client.value;
  const shown = restedRange.value;
  const { tag, values } = overlay.value;
  const parts = tag === '' || values.length === 0 ? [''] : values;
  const open = streams.value;
  const [x, y, shade] = axes.value;
  if (service === undefined || shown === undefined || open.length === 0 || x === '' || y === '')
    return undefined;
  const wishes = open.flatMap((stream) => parts.map((value): LineWish => ({ stream, tag, value })));
  return (signal) =>
    Promise.all(wishes.map((wish, i) => loadLine(service, wish, i, [x, y, shade], shown, signal)));
});

/** A stream, or the rows of it where a tag has a value. */
interface LineWish {
  readonly stream: StreamRef;
  readonly tag: string;
  /** Empty for the whole stream. */
  readonly value: string;
}

async function loadLine(
  service: Client,
  { stream: { topic, streamId }, tag, value }: LineWish,
  index: number,
  [x, y, shade]: readonly [string, string, string],
  { from, to }: TimeRange,
  signal: AbortSignal,
): Promise<Line> {
  const names = [...new Set([x, y, ...(shade === '' ? [] : [shade])])];
  const tagFilters: readonly TagFilter[] = value === '' ? [] : [{ tag, value }];
  const place = { topic, streamIds: [streamId], from, to, tagFilters };
  const raw = names.map((parameterName) => ({ parameterName }));
  const first = await service.page({ ...place, numericParameters: raw, limit: mostPoints }, { signal });
  const isRaw = first.nextCursor === undefined;
  const data = isRaw
    ? first.data
    : await service.query(
        {
          ...place,
          numericParameters: raw.map((name) => ({ ...name, aggregationType: 'Mean' as const })),
          groupByTime: { timeBucketDuration: bucketFor({ from, to }, mostPoints) },
        },
        { signal },
      );
  const column = (name: string) => data.numericValues[isRaw ? name : `mean(${name})`] ?? [];
  const [xs, ys, shades] = [column(x), column(y), shade === '' ? [] : column(shade)];
  const rows = data.timestamps.flatMap((_, row) => (xs[row] == null || ys[row] == null ? [] : [row]));
  return {
    label: value === '' ? streamId : `${tag} ${value} of ${streamId}`,
    colour: colourAt(index),
    x: rows.map((row) => xs[row]!),
    y: rows.map((row) => ys[row]!),
    ...(shade !== '' && { shade: rows.map((row) => shades[row] ?? Number.NaN) }),
  };
}

/** One parameter over another, coloured by a third: a track map, most of all. */
export function XyPlot() {
  const { value, error, busy, retry } = load.value;
  const [x, y, shade] = axes.value;
  const numeric = (openParameters.value.value ?? []).filter(({ type }) => type === 'Numeric');
  const unitOf = (id: string) => numeric.find((entry) => entry.id === id)?.unit ?? '';
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
  const [low, high] = reach((value ?? []).flatMap((line) => reach(line.shade ?? [])));
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
      {value !== undefined && shade === '' && value.length > 1 && <Legend lines={value} />}
      {value !== undefined && (
        <LineChart
          title={`${y} over ${x}`}
          xLabel={`${x} ${unitOf(x)}`}
          yLabel={`${y} ${unitOf(y)}`}
          lines={value}
          width={plotWidth.value}
          height={Math.max(320, Math.min(640, plotWidth.value * 0.6))}
          isMap={unitOf(x) !== '' && unitOf(x) === unitOf(y)}
        />
      )}
    </section>
  );
}
