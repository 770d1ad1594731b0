import type { XyRows } from './xy-load.ts';

const rowsText = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}`;

/** Which values were held, and what is not drawn, or has no colour, because channels are written at different times. */
export function LeftOut({ rows }: { rows: readonly XyRows[] }) {
  const sum = (of: (own: XyRows) => number | undefined) => rows.reduce((sum, own) => sum + (of(own) ?? 0), 0);
  const names = rows[0]?.names ?? ['', '', ''];
  const held = names.flatMap((name, i) => {
    const count = sum((own) => own.held?.[i]);
    return count === 0 ? [] : [{ name, count }];
  });
  const alone = [0, 1].flatMap((i) => {
    const count = sum((own) => own.alone?.[i]);
    return count === 0 ? [] : [{ text: `${rowsText(count)} of ${names[i]}`, other: names[1 - i] }];
  });
  const uncoloured = sum(({ uncoloured }) => uncoloured);
  return (
    <>
      {held.length > 0 && <p class="soft joined">{held.map(heldText).join(', ')}, written at other times.</p>}
      {alone.length > 0 && (
        <p class="soft joined">
          Left out: {alone.map(({ text }) => text).join(' and ')}, written when{' '}
          {alone.length === 1 ? alone[0]!.other : 'the other'} was not.
        </p>
      )}
      {uncoloured > 0 && (
        <p class="soft joined">
          Without a colour: {rowsText(uncoloured)}, written when {names[2]} was not.
        </p>
      )}
    </>
  );
}

function heldText({ name, count }: { name: string; count: number }, i: number): string {
  if (i > 0) return `${rowsText(count)} that of ${name}`;
  const isOne = count === 1;
  return `${rowsText(count)} ${isOne ? 'takes' : 'take'} the last value of ${name} before ${isOne ? 'it' : 'them'}`;
}
