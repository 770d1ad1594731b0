import type { ParameterData } from '../../../src/client/models.ts';
import { colourOfValue } from '../lines/colours.ts';
import type { Band } from './marks.ts';

/** Buckets of one value in a row are one band; where two values share a bucket, the later one has it. */
export function bandsOf(
  data: Pick<ParameterData, 'timestamps' | 'tagValues'>,
  tag: string,
  bucket: bigint,
): Band[] {
  const values = data.tagValues[tag] ?? [];
  const bands: { from: bigint; to: bigint; value: string }[] = [];
  for (const [row, time] of data.timestamps.entries()) {
    const value = values[row] ?? null;
    if (value === null) continue;
    const last = bands.at(-1);
    const before = bands.at(-2);
    if (last?.value === value) last.to = time + bucket;
    else if (before?.value === value && before.to >= time) continue;
    else {
      if (last !== undefined && last.to > time) last.to = time;
      bands.push({ from: time, to: time + bucket, value });
    }
  }
  return bands.filter(({ from, to }) => to > from).map((band) => bandOf(tag, band));
}

function bandOf(name: string, { from, to, value }: { from: bigint; to: bigint; value: string }): Band {
  return { from, to, label: `${name} ${value}`, colour: colourOfValue(value) };
}

/** Of a channel each number holds until there is another one; the last one until `end`. */
export function heldBands(
  channel: string,
  rows: readonly { readonly time: bigint; readonly value: number }[],
  end: bigint,
): Band[] {
  const changes = rows.filter(({ value }, i) => value !== rows[i - 1]?.value);
  return changes.flatMap(({ time: from, value }, i) => {
    const to = changes[i + 1]?.time ?? end;
    return to > from ? [bandOf(channel, { from, to, value: String(value) })] : [];
  });
}
