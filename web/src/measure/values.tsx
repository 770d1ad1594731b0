import { differenceText, slopeText } from '../lines/difference.ts';
import { bandText, type Reading, valueText, whenText } from '../lines/reading.ts';

/** What a line says at the cursor, and at A and B. */
export interface Read {
  readonly cursor: Reading | undefined;
  readonly a: Reading | undefined;
  readonly b: Reading | undefined;
}

/** Values with the exact times of their rows, how far B is from A, and how much of that a second. */
export function Values({ read: { cursor, a, b }, hasA, hasB }: { read: Read; hasA: boolean; hasB: boolean }) {
  const slope = slopeText(a, b);
  return (
    <dl class="pairs">
      <Value name="cursor" reading={cursor} />
      {hasA && <Value name="A" reading={a} />}
      {hasB && <Value name="B" reading={b} />}
      {hasA && hasB && (
        <div class="pair">
          <dt>B − A</dt>
          <dd>
            <span class="piece">{differenceText(a, b) || '–'}</span>
            {slope !== '' && (
              <>
                {' '}
                <span class="soft piece">{slope} per s</span>
              </>
            )}
          </dd>
        </div>
      )}
    </dl>
  );
}

function Value({ name, reading }: { name: string; reading: Reading | undefined }) {
  const band = reading === undefined ? '' : bandText(reading);
  return (
    <div class="pair">
      <dt>{name}</dt>
      <dd>
        <span class="piece">{reading === undefined ? '–' : valueText(reading)}</span>
        {reading !== undefined && (
          <small class="soft">
            {' '}
            {whenText(reading)
              .split(/(?<=,) /)
              .flatMap((part) => [
                <span key={part} class="piece">
                  {part}
                </span>,
                ' ',
              ])}
          </small>
        )}
        {band !== '' && (
          <small class="soft">
            <span class="piece">{band}</span> in this pixel{' '}
            <span class="piece">({reading!.band!.rows} rows)</span>
          </small>
        )}
      </dd>
    </div>
  );
}
