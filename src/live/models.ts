import type { EventDefinition, ParameterDefinition, StreamDescription } from '../domain/definition.ts';
import type { EventRow } from '../domain/event-data.ts';
import { type BytesColumn, type Column, isPresent, Kind, type Rows } from '../domain/parameter-data.ts';
import { type TagSet, tagValue } from '../domain/tags.ts';
import { isoFromMillis } from '../domain/timestamp.ts';

/** The models that readers get (contract, section 5). Topics have no id but their name. */
export interface Place {
  /** The topic as it was first spelt. */
  readonly topic: string;
  readonly streamId: string;
}

/** Rows, column by column: the wanted parameters, all tags, absolute timestamps. */
export function parameterData(
  { topic, streamId }: Place,
  all: readonly Rows[],
  isWanted: (parameter: string) => boolean,
) {
  const total = all.reduce((sum, { count }) => sum + count, 0);
  const timestamps: bigint[] = [];
  const values: Record<'numericValues' | 'stringValues' | 'binaryValues', Map<string, unknown[]>> = {
    numericValues: new Map(),
    stringValues: new Map(),
    binaryValues: new Map(),
  };
  const tags = new Map<string, (string | null)[]>();
  const columnOf = <Value>(columns: Map<string, (Value | null)[]>, name: string): (Value | null)[] => {
    const column = columns.get(name) ?? new Array<Value | null>(total).fill(null);
    columns.set(name, column);
    return column;
  };
  for (const rows of all) {
    const start = timestamps.length;
    for (let row = 0; row < rows.count; row++) timestamps.push(rows.base + BigInt(rows.offsets[row]!));
    for (const column of rows.columns) {
      const group = groups[column.kind];
      if (group === undefined || !isWanted(column.name)) continue;
      fillValues(columnOf(values[group], column.name), start, column, rows.count);
    }
    for (const name of new Set(rows.tagSets.flatMap(({ pairs }) => pairs.map(([tag]) => tag)))) {
      fillTags(columnOf(tags, name), start, name, rows);
    }
  }
  return {
    topicId: topic,
    topicName: topic,
    streamId,
    epoch: 0n,
    timestamps,
    numericValues: Object.fromEntries(values.numericValues),
    stringValues: Object.fromEntries(values.stringValues),
    binaryValues: Object.fromEntries(values.binaryValues),
    tagValues: Object.fromEntries(tags),
  };
}

const groups = {
  [Kind.Numeric]: 'numericValues',
  [Kind.String]: 'stringValues',
  [Kind.Binary]: 'binaryValues',
  [Kind.Event]: undefined,
} as const;

function fillValues(into: unknown[], start: number, column: Column, count: number): void {
  for (let row = 0; row < count; row++) {
    if (!isPresent(column.present, row)) continue;
    into[start + row] = column.kind === Kind.Numeric ? column.values[row]! : textOrBytes(column, row);
  }
}

/** Strings as text, binaries as bytes. */
function textOrBytes({ kind, bytes, ends }: BytesColumn, row: number): string | Uint8Array {
  const from = row === 0 ? 0 : ends[row - 1]!;
  const value = Buffer.from(bytes.buffer, bytes.byteOffset + from, ends[row]! - from);
  return kind === Kind.Binary ? value : value.toString();
}

function fillTags(into: (string | null)[], start: number, name: string, rows: Rows): void {
  const values = rows.tagSets.map((set) => tagValue(set, name) ?? null);
  for (let row = 0; row < rows.count; row++) into[start + row] = values[rows.tagIndex?.[row] ?? 0]!;
}

export function eventData({ topic, streamId }: Place, { id, timestamp, value, tags }: EventRow) {
  return { topicId: topic, topicName: topic, streamId, id, timestamp, value, tags: tagsOf(tags) };
}

export function tagsOf({ pairs }: TagSet): Record<string, string> {
  return Object.fromEntries(pairs);
}

/** Definitions as they were sent: what is left out has not changed. */
export function definitionList<Definition>({ topic, streamId }: Place, definitions: readonly Definition[]) {
  return { topicName: topic, streamId, definitions };
}

/** A stream that is being written to. */
export type ActiveStream = ReturnType<typeof activeStream>;

/** Times are ISO 8601 UTC. What nobody has said is null. */
export function activeStream(description: StreamDescription) {
  const { stream, parameters, parameterDefinitions, eventIds, eventDefinitions } = description;
  const { streamId, topic, name, location, metadata, parents, timeOfRecording } = stream;
  const lastSeen = isoFromMillis(stream.lastUpdate);
  return {
    streamId,
    topicId: topic,
    topicName: topic,
    name,
    location,
    metadata,
    parents,
    timeOfRecording: timeOfRecording === undefined ? null : isoFromMillis(timeOfRecording),
    parameters: Object.fromEntries([
      ...parameters.map(({ name: id, kind }) => [id, parameterModel({ id }, kind)] as const),
      ...parameterDefinitions.map((definition) => {
        const written = parameters.find((parameter) => parameter.name === definition.id);
        return [definition.id, parameterModel(definition, written?.kind)] as const;
      }),
    ]),
    events: Object.fromEntries([
      ...eventIds.map((id) => [id, eventModel({ id })] as const),
      ...eventDefinitions.map((definition) => [definition.id, eventModel(definition)] as const),
    ]),
    firstSeen: isoFromMillis(stream.createdAt),
    lastSeen,
    lastData: stream.dataStart === undefined ? null : lastSeen,
    status: 'Receiving',
  };
}

const dataTypes = ['Numeric', 'String', 'Binary', 'Unknown'] as const;

function parameterModel(definition: ParameterDefinition, kind: Kind | undefined) {
  return {
    name: definition.name ?? definition.id,
    description: definition.description ?? null,
    dataType: dataTypes[kind ?? 3],
    minimumValue: definition.minimumValue ?? null,
    maximumValue: definition.maximumValue ?? null,
    unit: definition.unit ?? null,
    format: definition.format ?? null,
    customProperties: definition.customProperties ?? null,
    location: definition.location ?? null,
  };
}

function eventModel(definition: EventDefinition) {
  return {
    name: definition.name ?? definition.id,
    description: definition.description ?? null,
    customProperties: definition.customProperties ?? null,
    level: definition.level ?? null,
    location: definition.location ?? null,
  };
}
