import type { FileBytes } from '../file-bytes.ts';
import type { LoggedFile, LoggedRow, LoggedTable } from '../logged-file.ts';
import { type LdChannel, readChannels } from './ld-channels.ts';
import { readHead } from './ld-head.ts';
import { createSampleReader } from './ld-samples.ts';
import { readBeacons } from './ldx-laps.ts';

/** Samples in memory, over all channels that are read at one time, and of one of them at least. */
const samplesInMemory = 1 << 17;
const fewestSamples = 64;

/**
 * A MoTeC log: head and channels are read, samples are read when they are asked for. Channels of one rate are a table.
 * With the text of the .ldx file beside it, rows have the tag LapNumber: from 1, one more at each beacon.
 * Throws a FileFault.
 */
export async function openLd(file: FileBytes, ldx?: string): Promise<LoggedFile> {
  const { firstChannel, start, metadata } = await readHead(file);
  const { channels, leftOut, notes } = await readChannels(file, firstChannel);
  const beacons = ldx === undefined ? undefined : readBeacons(ldx);
  const rates = new Map<number, LdChannel[]>();
  for (const channel of channels) {
    if (channel.samples === 0) continue;
    const shared = rates.get(channel.rate);
    if (shared === undefined) rates.set(channel.rate, [channel]);
    else shared.push(channel);
  }
  return {
    tables: [...rates].map(([rate, shared]) => tableOf(file, rate, shared, start, beacons)),
    tags: beacons === undefined ? [] : ['LapNumber'],
    metadata,
    start,
    isForward: true,
    leftOut: [
      ...leftOut,
      ...channels.flatMap(({ name, samples }) => (samples === 0 ? [`${name} (without samples)`] : [])),
    ],
    notes: ['the clock of the log names no zone, taken for UTC', ...notes],
  };
}

function tableOf(
  file: FileBytes,
  rate: number,
  channels: readonly LdChannel[],
  start: bigint,
  beacons: readonly bigint[] | undefined,
): LoggedTable {
  const rows = channels.reduce((most, { samples }) => Math.max(most, samples), 0);
  const pieceSamples = Math.max(fewestSamples, Math.floor(samplesInMemory / channels.length));
  return {
    channels,
    rows,
    async *read(): AsyncGenerator<LoggedRow> {
      const readers = channels.map((channel) => createSampleReader(file, channel, pieceSamples));
      let lap = 0;
      for (let row = 0; row < rows; row++) {
        for (const reader of readers) if (reader.isEmpty()) await reader.fill();
        const offset = timeOfSample(row, rate);
        while (beacons !== undefined && lap < beacons.length && beacons[lap]! <= offset) lap++;
        yield {
          time: start + offset,
          values: readers.map((reader) => reader.next()),
          tags: beacons === undefined ? [] : [String(lap + 1)],
        };
      }
    },
  };
}

const second = 1_000_000_000n;

/** Nanoseconds after the start, rounded to the nearest. */
function timeOfSample(index: number, rate: number): bigint {
  const divisor = BigInt(rate);
  return (BigInt(index) * second + divisor / 2n) / divisor;
}
