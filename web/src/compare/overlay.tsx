import { computed } from '@preact/signals';
import { drawnPixels } from '../look/axes.ts';
import type { Bounds } from '../look/bounds.ts';
import { openParameters } from '../look/catalogue.ts';
import { onPlotKey } from '../look/keys.ts';
import { restedRange } from '../look/range.ts';
import { restedWidth } from '../look/width.ts';
import { client } from '../session.ts';
import { mode, plots, show, streams } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { across, acrossKeys, restedAcross } from './across.ts';
import { type Lap, loadLaps } from './course-load.ts';
import { DeltaPlot } from './delta-plot.tsx';
import { loadOverlay, type OverlayLoad } from './overlay-load.ts';
import { OverlayPlot } from './overlay-plot.tsx';
import { overlay } from './overlay-state.ts';
import { TagChoices } from './tag-choices.tsx';

const laps = loaded<Lap[]>(() => {
  const service = client.value;
  const { tag, values, alignBy } = overlay.value;
  const open = streams.value;
  const range = restedRange.value;
  const parameters = [...new Set(plots.value.flat())];
  const isSeen = mode.value === 'overlay' && open.length > 0 && parameters.length > 0;
  if (service === undefined || range === undefined || !isSeen) return undefined;
  const wish = { streams: open, tag, values, parameters, alignBy, range };
  return (signal) => loadLaps(service, wish, signal);
});

const foundLaps = computed(() => laps.value.value);

const load = loaded<OverlayLoad>(() => {
  const service = client.value;
  const found = foundLaps.value;
  const parameters = [...new Set(plots.value.flat())];
  const bounds = restedAcross.value;
  const pixels = drawnPixels(restedWidth.value, false);
  if (service === undefined || found === undefined) return undefined;
  return (signal) => loadOverlay(service, found, parameters, bounds, pixels, signal);
});

/** Laps, runs or whole streams laid over each other. */
export function Overlay() {
  const { value, error, busy, retry } = load.value;
  const { tag, values, alignBy } = overlay.value;
  const parameters = [...new Set(plots.value.flat())];
  const isBusy = busy || laps.value.busy || across.value !== restedAcross.value;
  const bounds = across.value ?? (value && boundsOf(value));
  return (
    <section
      class="plots"
      aria-label="Overlay"
      aria-busy={isBusy}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys that move and zoom the plots need a place to be pressed in
      tabIndex={0}
      onKeyDown={(event) => bounds && onPlotKey(event, acrossKeys(bounds))}
    >
      <Choices />
      {laps.value.error !== undefined && <Problem error={laps.value.error} onRetry={laps.value.retry} />}
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
      {value?.laps.length === 0 && !isBusy && (tag === '' || values.length > 0) && (
        <Empty title="No rows in this range" />
      )}
      {value !== undefined && bounds !== undefined && alignBy !== '' && (
        <DeltaPlot laps={value.laps} bounds={bounds} />
      )}
      {value !== undefined &&
        bounds !== undefined &&
        value.parameters.map((parameter) => (
          <OverlayPlot key={parameter} parameter={parameter} load={value} bounds={bounds} />
        ))}
    </section>
  );
}

/** All that was loaded; undefined where nothing is. */
function boundsOf({ laps }: OverlayLoad): Bounds | undefined {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { x } of laps.flatMap(({ points }) => points)) {
    for (const place of x) {
      if (place < low) low = place;
      if (place > high) high = place;
    }
  }
  if (low > high) return undefined;
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

/** What is compared, and by what it is aligned. */
function Choices() {
  const { alignBy } = overlay.value;
  const numeric = (openParameters.value.value ?? []).filter(({ type }) => type === 'Numeric');
  return (
    <div class="choices">
      <label>
        Aligned by
        <select
          value={alignBy}
          onChange={(event) => show({ alignBy: event.currentTarget.value, across: undefined })}
        >
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
