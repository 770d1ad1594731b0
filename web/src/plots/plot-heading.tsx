import type { ReadonlySignal } from '@preact/signals';
import { without } from '../channels/arrange.ts';
import { openParameters } from '../channels/parameters.ts';
import { plottedNumbers } from '../channels/plotted.ts';
import type { Bounds } from '../lines/bounds.ts';
import type { Look } from '../lines/colours.ts';
import type { Reading } from '../lines/reading.ts';
import { Swatch } from '../lines/swatch.tsx';
import type { Trace } from '../lines/traces.ts';
import { streamName } from '../runs/stream-name.ts';
import { plots, show, streams } from '../state/view.ts';
import { isRested } from '../ui/rested.ts';
import { rightScales, unitOf } from './axes.ts';
import { ChannelMenu } from './channel-menu.tsx';
import { type FlagRow, FlagValues } from './flag-values.tsx';
import { MovePlot } from './move-plot.tsx';
import { Numberless } from './no-numbers.tsx';
import { OutsideMark } from './outside-mark.tsx';
import { Readings } from './readings.tsx';

/**
 * What a plot shows, values at the cursor, and controls to move and remove a parameter. The controls, which have many
 * elements, come behind the first picture.
 */
export function PlotHeading({
  parameters,
  traces,
  looks,
  mayBeStates,
  odd,
  readings,
  flagRows,
  seen,
}: {
  parameters: readonly string[];
  traces: readonly (Pick<Trace, 'stream' | 'parameter'> & { readonly isBanded: boolean })[];
  /** Of the traces that are lines. */
  looks: readonly Look[];
  mayBeStates: readonly string[];
  /** What is said of channels that have no number. */
  odd: readonly string[];
  readings: ReadonlySignal<readonly (Reading | undefined)[]>;
  flagRows: ReadonlySignal<readonly FlagRow[]>;
  /** What the axis of a unit shows now. */
  seen: (unit: string) => Bounds;
}) {
  const isInOneStream = streams.value.length === 1;
  const { value: known, error } = openParameters.value;
  // Units stand before them.
  const hasControls = isRested.value && (known !== undefined || error !== undefined);
  const lookOf = (name: string) => looks[traces.findIndex(({ parameter }) => parameter === name)];
  return (
    <header>
      {parameters.map((name) => (
        <span key={name} class="chip">
          {parameters.length > 1 && isInOneStream && <LineSwatch look={lookOf(name)} />}
          <h2 title={name}>{name}</h2>
          {unitOf(name) !== '' && <span class="soft">{unitOf(name)}</span>}
          {hasControls && isNumber(name) && (
            <ChannelMenu parameter={name} mayBeStates={mayBeStates.includes(name)} seen={seen} />
          )}
          {hasControls && <MovePlot parameter={name} />}
          {hasControls && (
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${name}`}
              onClick={() => show({ plots: without(plots.value, name) })}
            >
              ✕
            </button>
          )}
        </span>
      ))}
      {parameters.map((name) => (
        <OutsideMark key={name} parameter={name} isOfSeveral={parameters.length > 1} />
      ))}
      <Numberless said={odd} />
      <Readings
        isOfOne={parameters.length === 1}
        lines={traces.map((trace, i) => ({
          key: `${trace.stream.topic}/${trace.stream.streamId}/${trace.parameter}`,
          // In one stream the headings before have the names, and the colours.
          label: isInOneStream ? '' : streamName(trace.stream),
          channel: isInOneStream ? '' : trace.parameter,
          look: traces.length > 1 ? looks[i] : undefined,
          isBanded: trace.isBanded,
        }))}
        readings={readings}
      />
      <Flags rows={flagRows} />
    </header>
  );
}

/** Text has nothing to choose. */
function isNumber(name: string): boolean {
  return plottedNumbers.value.includes(name);
}

function LineSwatch({ look }: { look: Look | undefined }) {
  return look === undefined ? null : <Swatch look={look} />;
}

function Flags({ rows }: { rows: ReadonlySignal<readonly FlagRow[]> }) {
  return <FlagValues rows={rows.value} rightScales={rightScales.value} />;
}
