import { differenceText, slopeText } from '../lines/difference.ts';
import { type Reading, valueText, whenText } from '../lines/reading.ts';

/** What a line says at the cursor, and at A and B. */
export interface Read {
  readonly cursor: Reading | undefined;
  readonly a: Reading | undefined;
  readonly b: Reading | undefined;
}

/** Values with the exact times of their rows, and how far B is from A. `between` is the time from A to B, ns. */
export function Values({
  read: { cursor, a, b },
  hasA,
  hasB,
  between,
}: {
  read: Read;
  hasA: boolean;
  hasB: boolean;
  between: bigint | undefined;
}) {
  const slope = slopeText(a, b);
  return (
    <dl class="pairs">
      <Value name="cursor" reading={cursor} />
      {hasA && <Value name="A" reading={a} />}
      {hasB && <Value name="B" reading={b} />}
      {between !== undefined && (
        <div class="pair">
          <dt>B − A</dt>
          <dd>
            {differenceText(a, b)}
            {slope !== '' && <span class="soft"> {slope} per s</span>}
          </dd>
        </div>
      )}
    </dl>
  );
}

function Value({ name, reading }: { name: string; reading: Reading | undefined }) {
  return (
    <div class="pair">
      <dt>{name}</dt>
      <dd>
        {reading === undefined ? '–' : valueText(reading)}
        {reading !== undefined && <small class="soft"> {whenText(reading)}</small>}
      </dd>
    </div>
  );
}
