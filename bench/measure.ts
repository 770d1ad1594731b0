import {
  firstMs,
  type Payload,
  parameterName,
  payloads,
  rowStepMs,
  samplesOf,
  streamName,
  type Workload,
} from './data.ts';
import { load, openConnection } from './driver.ts';
import { median, seededRandom } from './random.ts';
import type { System } from './system.ts';

/** What one run of one system on one workload gave. */
export interface Measured {
  readonly samplesPerSecond: number;
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly writeP50: number;
  readonly writeP99: number;
  readonly readP50: number;
  /** The same after thousands of reads, when the code of both sides is warm. */
  readonly warmReadP50: number;
  readonly bytesPerSample: number;
  readonly peakMemoryMb: number;
}

export interface MeasureOptions {
  readonly connections: number;
  /** Raw reads of one parameter of one stream over one hour, or half of a shorter load, at random; 0 leaves them out. */
  readonly reads: number;
  readonly disk: boolean;
}

/** Loads a workload, checks what can be read back, then measures reads and disk. Throws on a wrong answer. */
export async function measure(
  system: System,
  workload: Workload,
  options: MeasureOptions,
): Promise<Measured> {
  const requests: Buffer[] = [];
  const kept: Payload[] = [];
  for (const payload of payloads(workload)) {
    requests.push(system.writeRequest(payload));
    if (checkedStreams(workload).includes(payload.stream)) kept.push(payload);
  }
  const loaded = await load(system.port, requests, options.connections);
  const peakMemoryMb = system.peakMemory() / 1e6;
  await system.settle();
  await check(system, workload, kept);
  const reads = options.reads > 0 ? await measureReads(system, workload, options.reads) : undefined;
  const bytes = options.disk ? await system.diskBytes() : Number.NaN;
  const ordered = Float64Array.from(loaded.latencies).sort();
  return {
    samplesPerSecond: samplesOf(workload) / loaded.seconds,
    requestsPerSecond: loaded.requests / loaded.seconds,
    writeP50: ordered[Math.floor(ordered.length * 0.5)]!,
    writeP99: ordered[Math.floor(ordered.length * 0.99)]!,
    readP50: reads?.first ?? Number.NaN,
    warmReadP50: reads?.warm ?? Number.NaN,
    bytesPerSample: bytes / samplesOf(workload),
    peakMemoryMb,
  };
}

function checkedStreams({ streams }: Workload): string[] {
  return [0, streams >> 1, streams - 1].map(streamName);
}

async function check(system: System, workload: Workload, kept: readonly Payload[]): Promise<void> {
  const connection = await openConnection(system.port);
  const lastMs = firstMs + workload.payloadsPerStream * workload.rowsPerPayload * rowStepMs;
  for (const stream of checkedStreams(workload)) {
    const parameter = workload.parameters - 1;
    const expected = kept
      .filter((payload) => payload.stream === stream)
      .flatMap(({ firstParameter, values }) => [...(values[parameter - firstParameter] ?? [])]);
    const name = parameterName(parameter);
    const found = system.readValues(
      await connection.send(system.readRequest(stream, name, firstMs, lastMs)),
      name,
    );
    if (found.length !== expected.length || found.some((value, i) => value !== expected[i])) {
      throw new Error(
        `${system.name}: ${stream} ${name}: ${found.length} values, not the ${expected.length} written`,
      );
    }
  }
  connection.close();
}

const hourMs = 3600_000;

/** Unmeasured reads between the first ones and those that find the code warm: ten times the first. */
const warmUps = 10;

/** Median milliseconds of the first reads, and of as many later ones. */
async function measureReads(
  system: System,
  workload: Workload,
  reads: number,
): Promise<{ readonly first: number; readonly warm: number }> {
  const random = seededRandom(11);
  const connection = await openConnection(system.port);
  const spanMs = workload.payloadsPerStream * workload.rowsPerPayload * rowStepMs;
  const times: number[] = [];
  const readMs = Math.min(hourMs, Math.floor(spanMs / rowStepMs / 2) * rowStepMs);
  for (let i = 0; i < reads * (warmUps + 2); i++) {
    const stream = streamName(Math.floor(random() * workload.streams));
    const name = parameterName(Math.floor(random() * workload.parameters));
    const fromMs = firstMs + Math.floor((random() * (spanMs - readMs)) / rowStepMs) * rowStepMs;
    const bytes = system.readRequest(stream, name, fromMs, fromMs + readMs - 1);
    const start = performance.now();
    const answer = await connection.send(bytes);
    times.push(performance.now() - start);
    const count = system.readValues(answer, name).length;
    if (count !== readMs / rowStepMs)
      throw new Error(`${system.name}: ${count} rows instead of ${readMs / rowStepMs}`);
  }
  connection.close();
  return { first: median(times.slice(0, reads)), warm: median(times.slice(-reads)) };
}
