import { limitsOf } from '../channels/limits.ts';
import { isCalculated } from '../lines/calculated.ts';
import type { Look } from '../lines/colours.ts';
import { shownText } from '../lines/conversions.ts';
import { numberText, shortText } from '../lines/reading.ts';
import { Swatch } from '../lines/swatch.tsx';
import type { Trace } from '../lines/traces.ts';
import { valueName } from '../lines/value-names.ts';
import { streamName } from '../runs/stream-name.ts';
import { unitOf } from './axes.ts';

/** The newest value of each line, large, while live data is followed; in the colour of limits where it is beyond them. */
export function NowValues({
  traces,
  looks,
}: {
  traces: readonly Trace[];
  /** Of each line; none where there is but one. */
  looks: readonly (Look | undefined)[];
}) {
  return (
    <dl class="now-values" aria-label="Values now">
      {traces.map((trace, i) => (
        <NowValue
          key={`${trace.stream.topic}/${trace.stream.streamId}/${trace.parameter}`}
          trace={trace}
          look={traces.length > 1 ? looks[i] : undefined}
        />
      ))}
    </dl>
  );
}

function NowValue({ trace, look }: { trace: Trace; look: Look | undefined }) {
  const { parameter, stream, live, texts } = trace;
  const value = live?.newest?.value;
  if (value === undefined) return null;
  const text = texts === undefined ? valueName(parameter, value) : texts[value];
  const beyond = text === undefined ? beyondText(parameter, value) : '';
  return (
    <div class={beyond === '' ? '' : 'beyond'} title={beyond}>
      <dt class="unseen">
        {parameter} of {streamName(stream)}
      </dt>
      <dd title={`${text ?? shownText(parameter, value)} ${beyond}`.trim()}>
        {look !== undefined && <Swatch look={look} />}
        {text ?? shortened(parameter, value)} <small>{unitOf(parameter)}</small>
        {beyond !== '' && <span class="unseen"> {beyond}</span>}
      </dd>
    </div>
  );
}

/** What was written has the digits that it was written with; what is calculated has more than mean anything. */
function shortened(parameter: string, value: number): string {
  return isCalculated(parameter) ? shortText(value) : numberText(value);
}

/** How a value is beyond the limits of its parameter; empty where it is not. */
function beyondText(parameter: string, value: number): string {
  const { least, largest } = limitsOf(parameter) ?? {};
  if (largest !== undefined && value > largest) return `above ${numberText(largest)}`;
  if (least !== undefined && value < least) return `below ${numberText(least)}`;
  return '';
}
