import { openParameters } from '../look/catalogue.ts';
import { colourAt } from '../look/colours.ts';
import { plotWidth, restedWidth } from '../look/width.ts';
import { client } from '../session.ts';
import { plots, show, streams } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { Legend } from './legend.tsx';
import { LineChart } from './line-chart.tsx';
import { loadOverlay, type OverlayLine } from './overlay-load.ts';
import { overlay } from './overlay-state.ts';
import { TagChoices } from './tag-choices.tsx';

const load = loaded<OverlayLine[]>(() => {
  const service = client.value;
  const { tag, values, alignBy } = overlay.value;
  const open = streams.value;
  const parameters = [...new Set(plots.value.flat())];
  const width = restedWidth.value;
  if (service === undefined || open.length === 0 || parameters.length === 0) return undefined;
  return (signal) => loadOverlay(service, { streams: open, tag, values, parameters, alignBy }, width, signal);
});

/** Laps, runs or whole streams laid over each other, each from its first row on. */
export function Overlay() {
  const { value, error, busy, retry } = load.value;
  const { tag, values } = overlay.value;
  const parameters = [...new Set(plots.value.flat())];
  return (
    <section class="plots" aria-label="Overlay" aria-busy={busy}>
      <Choices />
      {error !== undefined && <Problem error={error} onRetry={retry} />}
      {parameters.length === 0 && (
        <Empty title="Choose a parameter">
          <p>Tick the parameters to compare on the left.</p>
        </Empty>
      )}
      {parameters.length > 0 && tag !== '' && values.length === 0 && (
        <Empty title="Choose values">
          <p>Tick the values of {tag} to lay over each other. Without a tag, whole streams are compared.</p>
        </Empty>
      )}
      {value !== undefined &&
        value.length > 0 &&
        parameters.map((parameter) => <OverlayPlot key={parameter} parameter={parameter} lines={value} />)}
    </section>
  );
}

function OverlayPlot({ parameter, lines }: { parameter: string; lines: readonly OverlayLine[] }) {
  const { tag, alignBy } = overlay.value;
  const unitOf = (id: string) => openParameters.value.value?.find((entry) => entry.id === id)?.unit ?? '';
  const own = lines.filter((line) => line.parameter === parameter);
  const drawn = own.map(({ stream, value, x, y }, i) => ({
    label:
      value === ''
        ? stream.streamId
        : `${tag} ${value}${streams.value.length > 1 ? ` of ${stream.streamId}` : ''}`,
    colour: colourAt(i),
    x,
    y,
  }));
  return (
    <div class="plot-row">
      <header>
        <h3>{parameter}</h3>
        <Legend lines={drawn} />
      </header>
      <LineChart
        title={parameter}
        xLabel={alignBy === '' ? 's since the first row' : `${alignBy} ${unitOf(alignBy)}`}
        yLabel={unitOf(parameter)}
        lines={drawn}
        width={plotWidth.value}
        height={240}
      />
    </div>
  );
}

/** What is compared, and by what it is aligned. */
function Choices() {
  const { alignBy } = overlay.value;
  const numeric = (openParameters.value.value ?? []).filter(({ type }) => type === 'Numeric');
  return (
    <div class="choices">
      <label>
        Aligned by
        <select value={alignBy} onChange={(event) => show({ alignBy: event.currentTarget.value })}>
          <option value="">time</option>
          {numeric.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <TagChoices />
    </div>
  );
}
