import type { Client } from '../../src/client/client.ts';
import { seededRandom } from '../../src/demo/random.ts';
import { type OwnWorkspace, ownWorkspace } from './explorer-service.ts';

const ms = 1_000_000n;

/** Time of the first row. */
export const seedStart = 1_800_000_000_000_000_001n;
export const topic = 'seeded';
/** Usual spacings of rows, ns. */
export const spacings = { Fast: 10n * ms, Count: 10n * ms, Slow: 500n * ms, Distance: 10n * ms } as const;
export type Seeded = keyof typeof spacings;

/** A value with its time, and where the car is on its lap then. */
export interface SeedRow {
  readonly time: bigint;
  readonly value: number;
  readonly lap: string;
}

const seconds = 120;
const silence = { from: 50, to: 70 };
const lapSeconds = 30;

export interface SeededService {
  readonly service: OwnWorkspace['service'];
  readonly client: Client;
  /** All rows of a parameter as the service has them. */
  rows(streamId: string, parameter: string): Promise<readonly SeedRow[]>;
}

/**
 * A service with two streams. `one` has 100 rows a second for two minutes with decimals (Fast), whole numbers (Count) and
 * the way along a lap of 30 s (Distance), and two rows a second at times of their own (Slow); all are silent for 20
 * seconds. `two` has 50 rows a second of Fast, and only for the first 40 seconds. No row is at a round time.
 */
export async function seededService(): Promise<SeededService> {
  const { service, client } = await ownWorkspace();
  for (const half of [0, 1]) await writeSeed(client, 'one', seedStart, half * 60, (half + 1) * 60);
  await writeOther(client);
  const units = { Fast: 'bar', Distance: 'm' };
  await client.defineParameters(
    topic,
    'one',
    Object.entries(units).map(([id, unit]) => ({ id, unit })),
  );
  const known = new Map<string, Promise<readonly SeedRow[]>>();
  const read = async (streamId: string, parameterName: string) => {
    const data = await client.query({
      topic,
      streamIds: [streamId],
      numericParameters: [{ parameterName }],
      groupBy: ['lap'],
    });
    return data.timestamps.map((time, row) => ({
      time,
      value: data.numericValues[parameterName]![row]!,
      lap: data.tagValues['lap']![row]!,
    }));
  };
  return {
    service,
    client,
    rows(streamId, parameter) {
      const key = `${streamId} ${parameter}`;
      const rows = known.get(key) ?? read(streamId, parameter);
      known.set(key, rows);
      return rows;
    },
  };
}

/** Writes the seconds `from` to `to` of `one`; the same every time. */
export async function writeSeed(
  client: Client,
  streamId: string,
  start: bigint,
  from: number,
  to: number,
): Promise<void> {
  const isHeard = (second: number) => second < silence.from || second >= silence.to;
  const fast = Array.from({ length: seconds * 100 }, (_, i) => i).filter(
    (i) => i >= from * 100 && i < to * 100 && isHeard(i / 100),
  );
  const slow = Array.from({ length: seconds * 2 }, (_, i) => i).filter(
    (i) => i >= from * 2 && i < to * 2 && isHeard(i / 2),
  );
  const lapOf = (second: number) => String(1 + Math.floor(second / lapSeconds));
  const timeOf = (i: number, step: bigint, offset: bigint) =>
    start + BigInt(i) * step + (i === 0 ? 0n : offset + BigInt((i * 7919) % 1000) * 1000n);
  await client.writeParameterData(topic, streamId, {
    timestamps: fast.map((i) => timeOf(i, spacings.Fast, 0n)),
    numericValues: {
      Fast: fast.map((i) => Math.round((50 + 40 * Math.sin(i / 37) + 9 * Math.sin(i * 2.1)) * 1000) / 1000),
      Count: fast.map((i) => (i * 7) % 97),
      Distance: fast.map((i) => distanceAt(i / 100)),
    },
    tagValues: { lap: fast.map((i) => lapOf(i / 100)) },
  });
  await client.writeParameterData(topic, streamId, {
    timestamps: slow.map((i) => timeOf(i, spacings.Slow, 3_000_017n)),
    numericValues: { Slow: slow.map((i) => (i % 3 === 0 ? i : i / 8)) },
    tagValues: { lap: slow.map((i) => lapOf(i / 2)) },
  });
}

/** Metres since the line; each lap is driven a little differently. */
function distanceAt(second: number): number {
  const lap = Math.floor(second / lapSeconds);
  const share = (second % lapSeconds) / lapSeconds;
  return Math.round((1500 * share + (20 + 15 * lap) * Math.sin(2 * Math.PI * share)) * 1000) / 1000;
}

async function writeOther(client: Client): Promise<void> {
  const random = seededRandom(3);
  const rows = Array.from({ length: 2000 }, (_, i) => i);
  await client.writeParameterData(topic, 'two', {
    timestamps: rows.map((i) => seedStart + BigInt(i) * 20n * ms + 12_345n),
    numericValues: { Fast: rows.map(() => Math.round(random() * 1e6) / 1e6) },
    tagValues: { lap: rows.map((i) => String(1 + Math.floor(i / 1500))) },
  });
}
