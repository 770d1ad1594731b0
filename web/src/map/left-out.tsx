import type { XyRows } from './xy-load.ts';

const rowsText = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}`;

/** What is not drawn, or has no colour, because channels are written at different times. */
export function LeftOut({ rows }: { rows: readonly XyRows[] }) {
  const sum = (of: (own: XyRows) => number | undefined) => rows.reduce((sum, own) => sum + (of(own) ?? 0), 0);
  const [x, y] = [sum(({ alone }) => alone?.[0]), sum(({ alone }) => alone?.[1])];
  const uncoloured = sum(({ uncoloured }) => uncoloured);
  const [nameX, nameY, colour] = rows[0]?.names ?? [];
  return (
    <>
      {x > 0 && y > 0 && (
        <p class="soft">
          Left out: {rowsText(x)} of {nameX} and {rowsText(y)} of {nameY}, written when the other was not.
        </p>
      )}
      {uncoloured > 0 && (
        <p class="soft">
          Without a colour: {rowsText(uncoloured)}, written when {colour} was not.
        </p>
      )}
    </>
  );
}
