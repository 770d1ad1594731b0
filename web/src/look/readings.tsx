import type { ReadonlySignal } from '@preact/signals';
import type { Points } from './points.ts';
import { type Reading, valueText, whenText } from './reading.ts';
import { durationText } from './time-text.ts';

interface ReadLine {
  readonly key: string;
  /** Empty where something else says it. */
  readonly label: string;
  /** Undefined where there is but one. */
  readonly colour: string | undefined;
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
      {lines.map(({ key, label, colour }, i) => {
        const reading = now[i];
        return (
          <div key={key} class="reading">
            <dt>
              {colour !== undefined && <span class="swatch" style={{ background: colour }} />}
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

/** Days have no room on a phone. */
function When({ text }: { text: string }) {
  const parts = text.split(/(\d{4}-\d\d-\d\d )/);
  return (
    <span class="soft">
      {' '}
      {parts.map((part, i) => (i % 2 === 0 ? part : <span class="day">{part}</span>))}
    </span>
  );
}

/** How long a pixel is, where it stands for more than a row. */
export function PixelTime({ lines }: { lines: readonly { readonly points: Points }[] }) {
  const bucket = lines.find(({ points }) => points.bucket !== undefined)?.points.bucket;
  return bucket === undefined ? null : <span class="pixel soft">1 px = {durationText(bucket)}</span>;
}
