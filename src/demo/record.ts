import type { Client, NewEvent, NewParameterData } from '../client/client.ts';
import { channels } from './channels.ts';
import type { Sample } from './drive.ts';

/** Samples as the service takes them, with the lap as a tag; the start is in nanoseconds. */
export function parameterDataOf(samples: readonly Sample[], start: bigint): NewParameterData {
  const numericValues = channels.map(({ id }, channel) => [
    id,
    samples.map(({ values }) => values[channel]!),
  ]);
  return {
    timestamps: samples.map((sample) => timeOf(sample, start)),
    numericValues: Object.fromEntries(numericValues) as Record<string, number[]>,
    tagValues: { lap: samples.map(({ lap }) => String(lap)) },
  };
}

export function eventsOf(samples: readonly Sample[], start: bigint): NewEvent[] {
  return samples.flatMap((sample) =>
    sample.events.map(({ id, value }) => ({
      id,
      value,
      timestamp: timeOf(sample, start),
      tags: { lap: String(sample.lap) },
    })),
  );
}

function timeOf({ seconds }: Sample, start: bigint): bigint {
  return start + BigInt(Math.round(seconds * 1e9));
}

export async function writeSamples(
  client: Client,
  topic: string,
  streamId: string,
  samples: readonly Sample[],
  start: bigint,
): Promise<void> {
  await client.writeParameterData(topic, streamId, parameterDataOf(samples, start));
  const events = eventsOf(samples, start);
  if (events.length > 0) await client.writeEvents(topic, streamId, events);
}

/** Makes a stream of a car with all that is known of it before it drives. */
export async function announce(
  client: Client,
  topic: string,
  streamId: string,
  name: string,
  metadata: Readonly<Record<string, string>>,
): Promise<void> {
  await client.updateStream(topic, streamId, { name, location: '/demo/track-1', metadata });
  await client.defineParameters(topic, streamId, channels);
  await client.defineEvents(topic, streamId, [
    { id: 'LapCompleted', name: 'Lap completed', level: 'Information', description: 'The time of the lap' },
    { id: 'BrakeLockUp', name: 'Lock-up', level: 'Warning', description: 'A front wheel stood still' },
    { id: 'HighWaterTemp', name: 'Water hot', level: 'Error', description: 'The coolant is above 103 °C' },
  ]);
}
