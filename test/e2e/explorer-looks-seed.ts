import type { Client } from '../../src/client/client.ts';
import { type OwnWorkspace, ownWorkspace } from './explorer-service.ts';

const ms = 1_000_000n;

export const looksTopic = 'looks';
/** Time of the first row. */
export const looksStart = 1_800_000_000_000_000_001n;
/** How long a run is, seconds; silent from 40 to 50. */
export const looksSeconds = 100;
/** Limits of `Pressure`, which leaves them; `Calm` stays in its own. */
export const pressureLimits = { least: 20, largest: 95 };

const phases = ['idle', 'warm-up', 'push', 'cool-down'];

export interface LooksService {
  readonly service: OwnWorkspace['service'];
  readonly client: Client;
}

/**
 * A service with two runs of 100 s: `one` and `two` have 50 rows a second of `Pressure` and `Calm`, which have limits, of
 * `Gear` (0 to 5) and of the text `Phase`, which changes every few seconds; `Note` is a text at a few times. Laps are 25 s.
 */
export async function serviceWithLooks(): Promise<LooksService> {
  const { service, client } = await ownWorkspace();
  for (const [at, streamId] of ['one', 'two'].entries()) {
    await client.defineParameters(looksTopic, streamId, [
      {
        id: 'Pressure',
        unit: 'bar',
        minimumValue: pressureLimits.least,
        maximumValue: pressureLimits.largest,
      },
      { id: 'Calm', unit: 'V', minimumValue: 0, maximumValue: 100 },
    ]);
    await writeLooks(client, streamId, looksStart, at);
  }
  return { service, client };
}

export async function writeLooks(
  client: Client,
  streamId: string,
  start: bigint,
  seed: number,
): Promise<void> {
  const rows = Array.from({ length: looksSeconds * 50 }, (_, i) => i).filter((i) => i < 2000 || i >= 2500);
  const timeOf = (i: number) => start + BigInt(i) * 20n * ms + BigInt((i * 7919) % 1000);
  await client.writeParameterData(looksTopic, streamId, {
    timestamps: rows.map(timeOf),
    numericValues: {
      Pressure: rows.map(
        (i) => Math.round((55 + (38 + seed) * Math.sin(i / 90) + 4 * Math.sin(i * 1.7)) * 1000) / 1000,
      ),
      Calm: rows.map((i) => Math.round((50 + 30 * Math.cos(i / 200 + seed)) * 100) / 100),
      Gear: rows.map((i) => Math.floor(i / (110 + 7 * seed)) % 6),
    },
    stringValues: { Phase: rows.map((i) => phases[Math.floor(i / 213) % phases.length]!) },
    tagValues: { lap: rows.map((i) => String(1 + Math.floor(i / 1250))) },
  });
  await client.writeParameterData(looksTopic, streamId, {
    timestamps: [5, 15, 30, 60, 90].map((second) => start + BigInt(second) * 1000n * ms),
    stringValues: { Note: ['out', 'wing +1', 'rain', 'rain stops', 'in'] },
    tagValues: { lap: ['1', '1', '2', '3', '4'] },
  });
}
