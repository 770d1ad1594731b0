import { type Pace, withoutPause } from '../../turns/pace.ts';
import { channelNames } from '../channel-names.ts';
import type { LoggedChannel, TableRow } from '../logged-file.ts';
import type { CanFrame } from './can-frame.ts';
import { type Dbc, type DbcMessage, keyOf } from './dbc.ts';
import { type SignalReader, signalReaders } from './message-reader.ts';

/** What a DBC makes of frames: a table for each message of each bus. */
export interface DecodedFrames {
  readonly tables: readonly {
    readonly name: string;
    readonly channels: readonly LoggedChannel[];
    readonly rows: number;
  }[];
  readMixed(): AsyncGenerator<TableRow>;
  /** What is not read, and why. */
  readonly leftOut: readonly string[];
  /** What was taken for granted, for people. */
  readonly notes: readonly string[];
  /** Time of the first frame, ns since the Unix epoch; undefined where there is none. */
  readonly start: bigint | undefined;
}

/** A message as it comes on one bus. */
interface Source {
  readonly bus: string;
  readonly message: DbcMessage;
  readonly readers: readonly SignalReader[];
  rows: number;
  /** Frames with fewer bytes than the message has. */
  short: number;
}

/**
 * Decodes frames. Each signal becomes a channel `Message.Signal`; where a message comes on several buses, `Bus.Message.Signal`. All frames are read once to see
 * which there are.
 * @param frames gives all frames anew with each call
 */
export async function decodeFrames(
  dbc: Dbc,
  frames: () => AsyncGenerator<CanFrame>,
  pace: Pace = withoutPause,
): Promise<DecodedFrames> {
  const sources = new Map<string, Map<number, Source>>();
  const unknown = new Map<number, number>();
  const wide = new Set<SignalReader>();
  let start: bigint | undefined;
  for await (const frame of frames()) {
    const pause = pace();
    if (pause !== undefined) await pause;
    if (start === undefined || frame.time < start) start = frame.time;
    const key = keyOf(frame.id, frame.isExtended);
    const source = sourceOf(sources, dbc, frame.bus, key);
    if (source === undefined) {
      unknown.set(key, (unknown.get(key) ?? 0) + 1);
      continue;
    }
    source.rows++;
    if (frame.data.length < source.message.length) source.short++;
    for (const reader of source.readers) if (reader.isWide?.(frame.data) === true) wide.add(reader);
  }
  for (const reader of wide) reader.readText();
  const all = [...sources.values()].flatMap((byId) => [...byId.values()]);
  const places = new Map(all.map((source, i) => [source, i]));
  const buses = busesOf(all);
  const names = channelNames();
  const tables = all.map((source) => {
    const { message, readers, rows, bus } = source;
    const name = buses.get(message)!.length > 1 ? `${bus}.${message.name}` : message.name;
    return { name, rows, channels: readers.map((reader) => channelOf(reader, name, names)) };
  });
  return {
    tables,
    async *readMixed() {
      for await (const frame of frames()) {
        const source = sources.get(frame.bus)?.get(keyOf(frame.id, frame.isExtended));
        if (source === undefined) continue;
        const values = source.readers.map((reader) => reader.read(frame.data));
        yield { table: places.get(source)!, row: { time: frame.time, values, tags: [] } };
      }
    },
    leftOut: unknownFrames(unknown),
    notes: [...dbc.notes, ...notesOf(all, buses, wide), ...names.notes()],
    start,
  };
}

function sourceOf(
  sources: Map<string, Map<number, Source>>,
  { messages }: Dbc,
  bus: string,
  key: number,
): Source | undefined {
  let byId = sources.get(bus);
  if (byId === undefined) {
    byId = new Map();
    sources.set(bus, byId);
  }
  let source = byId.get(key);
  const message = messages.get(key);
  if (source === undefined && message !== undefined) {
    source = { bus, message, readers: signalReaders(message), rows: 0, short: 0 };
    byId.set(key, source);
  }
  return source;
}

function busesOf(sources: readonly Source[]): Map<DbcMessage, string[]> {
  const buses = new Map<DbcMessage, string[]>();
  for (const { message, bus } of sources) buses.set(message, [...(buses.get(message) ?? []), bus]);
  return buses;
}

function channelOf(
  { signal, isText, valueNames }: SignalReader,
  message: string,
  names: ReturnType<typeof channelNames>,
): LoggedChannel {
  return {
    name: names.nameFor(`${message}.${signal.name}`, 0),
    unit: signal.unit,
    isText,
    // A number with more digits than a double has became text, and no number has a name there.
    ...(valueNames !== undefined && !isText && { valueNames }),
  };
}

const mostShown = 8;

function unknownFrames(unknown: ReadonlyMap<number, number>): string[] {
  if (unknown.size === 0) return [];
  const frames = [...unknown.values()].reduce((sum, one) => sum + one, 0);
  const ids = [...unknown.keys()].slice(0, mostShown).map((key) => shownKey(key));
  const more = unknown.size > mostShown ? ` and ${unknown.size - mostShown} more` : '';
  return [`${frames} frames of ${unknown.size} ids that no DBC has: ${ids.join(', ')}${more}`];
}

/** An id as logs write it, `x` behind one of 29 bits. */
function shownKey(key: number): string {
  const id = key % 2 ** 31;
  return `0x${id.toString(16).toUpperCase()}${key >= 2 ** 31 ? 'x' : ''}`;
}

function notesOf(
  sources: readonly Source[],
  buses: ReadonlyMap<DbcMessage, readonly string[]>,
  wide: ReadonlySet<SignalReader>,
): string[] {
  const notes: string[] = [];
  const several = [...buses].filter(([, names]) => names.length > 1);
  if (several.length > 0) {
    const [[message, names]] = several as [[DbcMessage, string[]]];
    notes.push(
      `${several.length} messages come on several buses, whose names stand before theirs: ${message.name} on ${names.join(' and ')}`,
    );
  }
  const short = sources.filter((one) => one.short > 0);
  if (short.length > 0)
    notes.push(
      `frames with fewer bytes than the DBC says, whose missing signals have no value: ${short.map((one) => `${one.short} of ${one.message.name}`).join(', ')}`,
    );
  const texts = [...wide].map(({ signal }) => signal.name);
  if (texts.length > 0)
    notes.push(`text, for their numbers have more digits than a double: ${texts.join(', ')}`);
  return notes;
}
