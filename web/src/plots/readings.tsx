import type { ReadonlySignal } from '@preact/signals';
import type { Look } from '../lines/colours.ts';
import type { Points } from '../lines/points.ts';
import { bandText, isWaiting, type Reading, valueText, whenText } from '../lines/reading.ts';
import { Swatch } from '../lines/swatch.tsx';
import { durationText } from '../lines/time-text.ts';

interface ReadLine {
  readonly key: string;
  /** Empty where something else says it. */
  readonly label: string;
  /** Said before it where there is room. */
  readonly channel?: string;
  /** Undefined where there is but one. */
  readonly look: Look | undefined;
  /** Whether pixels have several rows: what is told of them has its place. */
  readonly isBanded: boolean;
}

/** The values at the cursor, and of which rows each is: said once, where it is the same. */
export function Readings({
  lines,
  readings,
  isOfOne = false,
}: {
  lines: readonly ReadLine[];
  /** Whether all are of the channel that is named above. */
  isOfOne?: boolean;
  readings: ReadonlySignal<readonly (Reading | undefined)[]>;
}) {
  const now = readings.value;
  const whens = now.map((reading) => reading && whenText(reading));
  const [first] = whens;
  const isShared = now.length > 1 && first !== undefined && whens.every((when) => when === first);
  return (
    <dl class={`readings ${isOfOne ? 'of-one' : ''}`}>
      {lines.map(({ key, label, channel = '', look, isBanded }, i) => {
        const reading = now[i];
        return (
          <div key={key} class="reading">
            <dt>
              {look !== undefined && (
                <span class={label === '' && reading === undefined ? 'kept-room' : ''}>
                  <Swatch look={look} />
                </span>
              )}
              {channel !== '' && <span class="channel-of">{channel} of </span>}
              {label}
            </dt>
            {reading === undefined ? (
              <NoReading isBanded={isBanded} />
            ) : (
              <ReadValue reading={reading} when={isShared ? '' : whens[i]!} isBanded={isBanded} />
            )}
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

/** The room of a value. */
function NoReading({ isBanded }: { isBanded: boolean }) {
  return (
    <>
      <dd />
      {isBanded && <dd class="band" />}
    </>
  );
}

/** The value of a row, and what its pixel has beside it: that alone, while the row is on its way. */
function ReadValue({ reading, when, isBanded }: { reading: Reading; when: string; isBanded: boolean }) {
  const waits = isWaiting(reading) && reading.low !== reading.high;
  const band = waits ? valueText(reading) : bandText(reading);
  const time = when !== '' && <When text={when} />;
  return (
    <>
      <dd>
        {!waits && valueText(reading)}
        {!waits && time}
      </dd>
      {band === '' && isBanded && <dd class="band" />}
      {band !== '' && (
        <dd class="band" title="From the smallest to the largest value in this pixel">
          {band}
          <span class="unseen"> in this pixel</span>
          {waits && time}
        </dd>
      )}
    </>
  );
}

/** When it was: there is no room for it in a plot; the panel "Measure" shows it, and who listens finds it here. */
function When({ text }: { text: string }) {
  return <span class="unseen"> {text}</span>;
}

/** How long a pixel is, where it stands for more than a row. */
export function PixelTime({ lines }: { lines: readonly { readonly points: Points }[] }) {
  const bucket = lines.find(({ points }) => points.bucket !== undefined)?.points.bucket;
  if (bucket === undefined) return null;
  return <span class="pixel soft">1 px = {durationText(bucket, 3)}</span>;
}
