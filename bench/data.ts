import { seededRandom } from './random.ts';

/** The two shapes of values that the figures are about. */
export type Shape = 'integers' | 'decimals';

export interface Workload {
  readonly shape: Shape;
  readonly streams: number;
  readonly payloadsPerStream: number;
  readonly rowsPerPayload: number;
  readonly parameters: number;
  /** Whether each parameter comes in payloads of its own, at times that no other one of its stream has. */
  readonly ownClocks?: boolean;
}

/** One payload: rows of one stream on a steady clock, following those of the stream's payload before. */
export interface Payload {
  readonly stream: string;
  /** Milliseconds since the Unix epoch of the first row: what every peer can store. */
  readonly startMs: number;
  readonly stepMs: number;
  /** Of the first parameter; the others follow. */
  readonly firstParameter: number;
  /** Per parameter one number a row. */
  readonly values: readonly Float64Array[];
}

/** 2026-01-01T00:00:00Z. */
export const firstMs = 1767225600000;
export const rowStepMs = 1000;

export function parameterName(index: number): string {
  return `p${index}`;
}

export function streamName(index: number): string {
  return `stream-${String(index).padStart(4, '0')}`;
}

export function samplesOf({ streams, payloadsPerStream, rowsPerPayload, parameters }: Workload): number {
  return streams * payloadsPerStream * rowsPerPayload * parameters;
}

/** All payloads, round robin over the streams: integers walk in 0..100, decimals have three digits. */
export function* payloads(workload: Workload): Generator<Payload> {
  const random = seededRandom(7);
  const walks = Array.from({ length: workload.streams }, () =>
    Array.from({ length: workload.parameters }, () => Math.floor(random() * 100)),
  );
  for (let round = 0; round < workload.payloadsPerStream; round++) {
    for (let stream = 0; stream < workload.streams; stream++) {
      const walk = walks[stream]!;
      const values = walk.map((_, parameter) => {
        const column = new Float64Array(workload.rowsPerPayload);
        for (let row = 0; row < column.length; row++)
          column[row] = step(walk, parameter, workload.shape, random);
        return column;
      });
      const startMs = firstMs + round * workload.rowsPerPayload * rowStepMs;
      const payload = { stream: streamName(stream), startMs, stepMs: rowStepMs, firstParameter: 0, values };
      if (workload.ownClocks === true) yield* apart(payload);
      else yield payload;
    }
  }
}

/** How much later than its neighbour a parameter with a clock of its own has its rows: no divisor of the step. */
const phaseMs = 379;

/** The parameters of a payload one by one, each with times of its own: up to a thousand of them differ. */
function* apart(payload: Payload): Generator<Payload> {
  for (const [parameter, values] of payload.values.entries()) {
    const startMs = payload.startMs + ((parameter * phaseMs) % rowStepMs);
    yield { ...payload, startMs, firstParameter: parameter, values: [values] };
  }
}

function step(walk: number[], parameter: number, shape: Shape, random: () => number): number {
  const before = walk[parameter]!;
  const next =
    shape === 'integers'
      ? before + Math.floor(random() * 3) - 1
      : Math.round((before + (random() - 0.5) * 0.5) * 1000) / 1000;
  const inside = Math.min(100, Math.max(0, next));
  walk[parameter] = inside;
  return inside;
}
