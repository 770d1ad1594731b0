import { openParameters } from '../look/catalogue.ts';
import { colourAt } from '../look/colours.ts';
import { plotWidth } from '../look/width.ts';
import { client } from '../session.ts';
import { plots, show, streams, view } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { LineChart } from './line-chart.tsx';
import { loadOverlay, type OverlayLine } from './overlay-load.ts';
import { overlay, tagValues } from './overlay-state.ts';

const load = loaded<OverlayLine[]>(() => {
  const service = client.value;
  const { tag, values, alignBy } = overlay.value;
  const open = streams.value;
  const parameters = [...new Set(plots.value.flat())];
  const width = plotWidth.value;
  if (service === undefined || open.length === 0 || parameters.length === 0) return undefined;
  return (signal) => loadOverlay(service, { streams: open, tag, values, parameters, alignBy }, width, signal);
});

/** Laps, runs or whole streams laid over each other, each from its first row on. */
export function Overlay() {
  const { value, error, busy } = load.value;
  const parameters = [...new Set(plots.value.flat())];
  return (
    <section class="plots" aria-label="Overlay" aria-busy={busy}>
      <Choices />
      {error !== undefined && <Problem error={error} />}
      {parameters.length === 0 && (
        <Empty title="Choose a parameter">
          <p>Tick the parameters to compare on the left.</p>
        </Empty>
      )}
      {value !== undefined &&
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
        <ul class="legend">
          {drawn.map(({ label, colour }) => (
            <li key={label}>
              <span class="swatch" style={{ background: colour }} />
              {label}
            </li>
          ))}
        </ul>
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

/** Which tag, which of its values, and by what they are aligned. */
function Choices() {
  const { tag, values, alignBy } = overlay.value;
  const known = tagValues.value.value ?? [];
  const numeric = (openParameters.value.value ?? []).filter(({ type }) => type === 'Numeric');
  return (
    <div class="choices">
      <label>
        Tag
        <input
          type="text"
          placeholder="lap"
          value={tag}
          onChange={(event) => show({ overlayTag: event.currentTarget.value.trim(), overlayValues: [] })}
        />
      </label>
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
      {tag !== '' && (
        <fieldset>
          <legend>Values of {tag}</legend>
          {known.map((value) => (
            <label key={value} class="choice">
              <input
                type="checkbox"
                checked={values.includes(value)}
                onChange={() => {
                  const { overlayValues } = view.value;
                  const next = overlayValues.includes(value)
                    ? overlayValues.filter((other) => other !== value)
                    : [...overlayValues, value];
                  show({ overlayValues: next });
                }}
              />
              {value}
            </label>
          ))}
          {tagValues.value.value?.length === 0 && (
            <span class="soft">no row of these streams has this tag</span>
          )}
        </fieldset>
      )}
    </div>
  );
}
