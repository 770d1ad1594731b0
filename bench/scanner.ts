import { ParameterDataDecoder } from '../src/wire/rows/parameter-data.ts';
import { defaultPayloadLimits } from '../test/payload-limits.ts';

/**
 * The scanner against JSON.parse on the same bytes, in pairs one after the other, medians. What JSON.parse gives
 * is not even columns yet, and its timestamps are rounded: the ratio flatters it.
 */
const rounds = 41;

interface Case {
  readonly name: string;
  readonly body: Buffer;
  readonly repeats: number;
}

const cases: readonly Case[] = [
  { name: '1000 rows x 10 numbers, 3 decimals', body: payload(1000, threeDecimals), repeats: 20 },
  {
    name: '1000 rows x 10 numbers, full doubles',
    body: payload(1000, (row) => Math.sin(row) * 1000),
    repeats: 20,
  },
  {
    name: '1000 rows x 10 integers 0..100',
    body: payload(1000, (row, column) => (row * 7 + column * 13) % 101),
    repeats: 20,
  },
  { name: '10 rows x 10 numbers, 3 decimals', body: payload(10, threeDecimals), repeats: 1500 },
];

function threeDecimals(row: number, column: number): number {
  return Math.round((Math.sin(row / 10 + column) * 200 + 100) * 1000) / 1000;
}

function payload(rows: number, value: (row: number, column: number) => number): Buffer {
  const timestamps = Array.from(
    { length: rows },
    (_, row) => `1591733989${String((row * 10_000_000) % 1e9).padStart(9, '0')}`,
  );
  const columns = Array.from({ length: 10 }, (_, column) => {
    const values = Array.from({ length: rows }, (_, row) => value(row, column));
    return `"parameter${column}":${JSON.stringify(values)}`;
  });
  const tags = JSON.stringify({ car: Array.from({ length: rows }, () => 'car-7') });
  return Buffer.from(`{"timestamps":[${timestamps}],"numericValues":{${columns}},"tagValues":${tags}}`);
}

function microseconds(run: () => void, repeats: number): number {
  const start = process.hrtime.bigint();
  for (let i = 0; i < repeats; i++) run();
  return Number(process.hrtime.bigint() - start) / 1000 / repeats;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

const decoder = new ParameterDataDecoder(defaultPayloadLimits);
for (const { name, body, repeats } of cases) {
  const pairs = Array.from({ length: rounds }, () => ({
    ours: microseconds(() => decoder.decode(body), repeats),
    parse: microseconds(() => JSON.parse(body.toString()), repeats),
  }));
  const ours = median(pairs.map((pair) => pair.ours));
  const parse = median(pairs.map((pair) => pair.parse));
  const ratio = median(pairs.map((pair) => pair.parse / pair.ours));
  process.stdout.write(
    `${name} (${body.length} bytes): scanner ${ours.toFixed(1)} us, JSON.parse ${parse.toFixed(1)} us, ${ratio.toFixed(2)} x\n`,
  );
}
