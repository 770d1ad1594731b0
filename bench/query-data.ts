import { firstMs, type Payload, type parameterName, streamName } from './data.ts';
import { seededRandom } from './random.ts';

/** What the queries are asked about: every stream has the same clock, ten parameters and numbers of three digits. */
export interface QueryData {
  readonly streams: number;
  readonly parameters: number;
  readonly rows: number;
  /** Thousandths, from 0 to 100,000: the parameters of a stream one after another, each in order of time. */
  readonly thousandths: readonly Int32Array[];
}

export const stepMs = 10_000;
/** Between whole minutes, so that no row is on the border of a bucket: peers differ in which side they count it to. */
export const startMs = firstMs + 5000;
const parameters = 10;
const rows = 2000;
const rowsPerPayload = 200;

/** Milliseconds since the Unix epoch of the last row. */
export const endMs = startMs + (rows - 1) * stepMs;

export function makeQueryData(streams: number): QueryData {
  const random = seededRandom(5);
  const thousandths = Array.from({ length: streams }, () => {
    const values = new Int32Array(parameters * rows);
    for (let i = 0; i < values.length; i++) {
      const before = i % rows === 0 ? Math.floor(random() * 100_001) : values[i - 1]!;
      values[i] = Math.min(100_000, Math.max(0, before + Math.round((random() - 0.5) * 500)));
    }
    return values;
  });
  return { streams, parameters, rows, thousandths };
}

export function valueAt(data: QueryData, stream: number, parameter: number, row: number): number {
  return data.thousandths[stream]![parameter * data.rows + row]! / 1000;
}

/** All payloads in order of time, round robin over the streams as devices send them. */
export function* queryPayloads(data: QueryData): Generator<Payload> {
  for (let row = 0; row < rows; row += rowsPerPayload) {
    for (let stream = 0; stream < data.streams; stream++) {
      const values = Array.from({ length: parameters }, (_, parameter) =>
        Float64Array.from({ length: rowsPerPayload }, (_zero, i) =>
          valueAt(data, stream, parameter, row + i),
        ),
      );
      const firstMs = startMs + row * stepMs;
      yield { stream: streamName(stream), startMs: firstMs, stepMs, firstParameter: 0, values };
    }
  }
}

/** Some of the names of the streams or parameters, each once. */
export function someOf(random: () => number, count: number, all: number): number[] {
  const chosen = new Set<number>();
  while (chosen.size < Math.min(count, all)) chosen.add(Math.floor(random() * all));
  return [...chosen];
}

export function namesOf(chosen: readonly number[], name: typeof parameterName): string[] {
  return chosen.map(name);
}
