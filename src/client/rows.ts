import { checkNamed } from './parameter-data.ts';

/** One row to write: values and tags of one stream at one time. What is left out has no value. */
export interface Row {
  readonly timestamp: bigint;
  readonly numeric?: Readonly<Record<string, number | null>>;
  readonly strings?: Readonly<Record<string, string | null>>;
  readonly binaries?: Readonly<Record<string, Uint8Array | null>>;
  readonly tags?: Readonly<Record<string, string | null>>;
}

const known: Readonly<Record<keyof Row, true>> = {
  timestamp: true,
  numeric: true,
  strings: true,
  binaries: true,
  tags: true,
};

/**
 * Throws a TypeError for what is no row of a stream, and for a property that a row does not have, or that has no names: its
 * values would be lost.
 */
export function checkRow({ streamId, row }: PendingRow): void {
  if (typeof streamId !== 'string') throw new TypeError(`streamId is a string, not ${typeOf(streamId)}`);
  if (typeof row !== 'object' || row === null) throw new TypeError(`a row is an object, not ${typeOf(row)}`);
  for (const name of Object.keys(row)) {
    if (!Object.hasOwn(known, name))
      throw new TypeError(`a row has no ${name}; it has ${Object.keys(known).join(', ')}`);
    if (name !== 'timestamp') checkNamed(name, row[name as keyof Row]);
  }
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : typeof value;
}

/** A row on its way. */
export interface PendingRow {
  readonly streamId: string;
  readonly row: Row;
}

type Columns<Value> = Record<string, (Value | null)[]>;

/** Rows of one stream, column by column, as the service takes them. */
export interface StreamColumns {
  readonly streamId: string;
  readonly timestamps: bigint[];
  readonly numericValues: Columns<number>;
  readonly stringValues: Columns<string>;
  readonly binaryValues: Columns<Uint8Array>;
  readonly tagValues: Columns<string>;
}

/** Turns rows to columns, one entry per stream, in the order in which the streams come. */
export function columnsOf(rows: readonly PendingRow[]): StreamColumns[] {
  const streams = new Map<string, StreamColumns>();
  for (const { streamId, row } of rows) {
    let stream = streams.get(streamId);
    if (stream === undefined) {
      stream = {
        streamId,
        timestamps: [],
        numericValues: columns(),
        stringValues: columns(),
        binaryValues: columns(),
        tagValues: columns(),
      };
      streams.set(streamId, stream);
    }
    const index = stream.timestamps.push(row.timestamp) - 1;
    put(stream.numericValues, index, row.numeric);
    put(stream.stringValues, index, row.strings);
    put(stream.binaryValues, index, row.binaries);
    put(stream.tagValues, index, row.tags);
  }
  for (const { timestamps, numericValues, stringValues, binaryValues, tagValues } of streams.values()) {
    for (const group of [numericValues, stringValues, binaryValues, tagValues]) {
      for (const column of Object.values<unknown[]>(group)) fill(column, timestamps.length);
    }
  }
  return [...streams.values()];
}

/** Names are the user's: `constructor` is one like others. */
function columns<Value>(): Columns<Value> {
  return Object.create(null) as Columns<Value>;
}

function put<Value>(
  columns: Columns<Value>,
  index: number,
  values: Readonly<Record<string, Value | null>> | undefined,
): void {
  if (values === undefined) return;
  for (const [name, value] of Object.entries(values)) {
    columns[name] ??= [];
    const column = columns[name];
    fill(column, index);
    column.push(value);
  }
}

/** Rows that did not name a parameter have no value of it. */
function fill(column: unknown[], length: number): void {
  while (column.length < length) column.push(null);
}

/** About how many bytes a row takes in a request. */
export function sizeOf({ streamId, row }: PendingRow): number {
  let bytes = 24 + streamId.length;
  for (const name in row.numeric) bytes += name.length / 8 + 12;
  for (const [name, text] of Object.entries(row.strings ?? {}))
    bytes += name.length / 8 + 4 + (text?.length ?? 4);
  for (const [name, value] of Object.entries(row.binaries ?? {})) {
    bytes += name.length / 8 + 4 + ((value?.length ?? 3) * 4) / 3;
  }
  for (const [name, text] of Object.entries(row.tags ?? {}))
    bytes += name.length / 8 + 4 + (text?.length ?? 4);
  return bytes;
}
