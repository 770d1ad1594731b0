/**
 * What the codecs of part files reach: bytes per value, and millions of values encoded and decoded per second,
 * each the best of a few short runs on one thread. Run: node build/bench/codecs.js
 */
import { Kind } from '../src/domain/parameter-data.ts';
import { noTags } from '../src/domain/tags.ts';
import { ByteReader } from '../src/store/embedded/codecs/byte-reader.ts';
import { ByteWriter } from '../src/store/embedded/codecs/byte-writer.ts';
import { decodeNumbers, encodeNumbers } from '../src/store/embedded/codecs/number-codec.ts';
import { createPartWriter } from '../src/store/embedded/parts/part-writer.ts';
import type { RowGroup } from '../src/store/embedded/rows/row-group.ts';

const count = 8192;
const runs = 5;
const runMs = 60;

let seed = 12345;
function random(): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
}

function walk(low: number, high: number, step: () => number): Float64Array {
  let value = (low + high) / 2;
  return Float64Array.from({ length: count }, () => {
    value = Math.min(high, Math.max(low, value + step()));
    return value;
  });
}

const shapes: Record<string, Float64Array> = {
  constant: new Float64Array(count).fill(42),
  'integers 0..100, steps -1, 0, 1': walk(0, 100, () => Math.floor(random() * 3) - 1),
  'integers 0..100, steps -2 to 2': walk(0, 100, () => Math.floor(random() * 5) - 2),
  '3 decimals, steps to ±0.5': walk(0, 1e6, () => Math.round((random() - 0.5) * 1000)).map((m) => m / 1000),
  '3 decimals, steps to ±5': walk(0, 1e6, () => Math.round((random() - 0.5) * 10_000)).map((m) => m / 1000),
  singles: Float64Array.from({ length: count }, () => Math.fround(random())),
  'doubles near 100': Float64Array.from({ length: count }, () => 100 + random()),
};

/** Millions of values per second. */
function rate(action: () => void): number {
  let best = 0;
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    let repeats = 0;
    let elapsed = 0;
    for (; elapsed < runMs; elapsed = performance.now() - start) {
      for (let i = 0; i < 10; i++) action();
      repeats += 10;
    }
    best = Math.max(best, (repeats * count) / elapsed / 1000);
  }
  return best;
}

console.log('numbers                              bytes/value   encode M/s   decode M/s');
for (const [name, values] of Object.entries(shapes)) {
  const out = new ByteWriter(count * 9);
  const encode = () => {
    out.length = 0;
    encodeNumbers(out, values, count);
  };
  const encodeRate = rate(encode);
  const bytes = out.written();
  const decodeRate = rate(() => decodeNumbers(new ByteReader(bytes), count));
  const figures = [(bytes.length / count).toFixed(3), encodeRate.toFixed(0), decodeRate.toFixed(0)];
  console.log(name.padEnd(36) + figures.map((figure) => figure.padStart(12)).join(' '));
}

/** Writes a part: what the format itself costs beside the values. */
function writePart(streams: number, rows: number, parameters: number): void {
  const values = shapes['integers 0..100, steps -1, 0, 1']!;
  const groups: RowGroup[] = Array.from({ length: streams }, (_, stream) => {
    const from = rows === count ? 0 : stream % (count - rows);
    return {
      stream,
      count: rows,
      offsets: new Float64Array(rows).map((_zero, i) => 1e12 + stream * 1e5 + i * 1e8),
      tagSets: [noTags],
      tagIndex: undefined,
      columns: Array.from({ length: parameters }, (_, parameter) => ({
        parameter,
        kind: Kind.Numeric,
        values: values.subarray(from, from + rows),
        present: undefined,
      })),
    };
  });
  const start = performance.now();
  const writer = createPartWriter({ write: () => undefined }, { window: 0, firstLsn: 1, lastLsn: 1 });
  for (const group of groups) writer.add(group);
  const { samples, bytes } = writer.finish();
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${streams} streams x ${parameters} columns x ${rows} rows: ${(bytes / samples).toFixed(2)} bytes/sample, ` +
      `${(bytes / streams).toFixed(0)} bytes/group, ${(samples / seconds / 1e6).toFixed(1)} M samples/s`,
  );
}

console.log('\nparts');
writePart(20_000, 8, 10);
writePart(20, count, 10);
writePart(100, count, 10);
