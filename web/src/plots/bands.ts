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
  return bands
    .filter(({ from, to }) => to > from)
    .map(({ from, to, value }) => ({ from, to, label: `${tag} ${value}`, colour: colourOfValue(value) }));
}
