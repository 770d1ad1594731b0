import type { ReadonlySignal } from '@preact/signals';
import type { Look } from '../lines/colours.ts';
import type { Points } from '../lines/points.ts';
import { type Reading, valueText, whenText } from '../lines/reading.ts';
import { Swatch } from '../lines/swatch.tsx';
import { durationText } from '../lines/time-text.ts';

interface ReadLine {
  readonly key: string;
  /** Empty where something else says it. */
  readonly label: string;
  /** Undefined where there is but one. */
  readonly look: Look | undefined;
}

/** The values at the cursor, and of which rows each is: said once, where it is the same. */
export function Readings({
  lines,
  readings,
}: {
  lines: readonly ReadLine[];
  readings: ReadonlySignal<readonly (Reading | undefined)[]>;
}) {
  const now = readings.value;
  const whens = now.map((reading) => reading && whenText(reading));
  const [first] = whens;
  const isShared = now.length > 1 && first !== undefined && whens.every((when) => when === first);
  return (
    <dl class="readings">
      {lines.map(({ key, label, look }, i) => {
        const reading = now[i];
        return (
          <div key={key} class="reading">
            <dt>
              {look !== undefined && (
                <span class={label === '' && reading === undefined ? 'kept-room' : ''}>
                  <Swatch look={look} />
                </span>
              )}
              {label}
            </dt>
            <dd>
              {reading && valueText(reading)}
              {reading && !isShared && <When text={whens[i]!} />}
            </dd>
          </div>
        );
      })}
      {isShared && (
        <div class="reading">
          <dt />
          <dd>
            <When text={first} />
          </dd>
        </div>
      )}
    </dl>
  );
}

/** When it was: there is no room for it in a plot; the panel "Measure" shows it, and who listens finds it here. */
function When({ text }: { text: string }) {
  return <span class="unseen"> {text}</span>;
}

/** How long a pixel is, where it stands for more than a row. */
export function PixelTime({
  lines,
  right,
}: {
  lines: readonly { readonly points: Points }[];
  right: number;
}) {
  const bucket = lines.find(({ points }) => points.bucket !== undefined)?.points.bucket;
  if (bucket === undefined) return null;
  return (
    <span class="pixel soft" style={{ right: `${right}px` }}>
      1 px = {durationText(bucket, 3)}
    </span>
  );
}
