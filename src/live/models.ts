import type { EventDefinition, ParameterDefinition, StreamDescription } from '../domain/definition.ts';
import type { EventRow } from '../domain/event-data.ts';
import {
  type BytesColumn,
  type Column,
  isPresent,
  Kind,
  type ParameterKey,
  type Rows,
} from '../domain/parameter-data.ts';
import { type TagSet, tagValue } from '../domain/tags.ts';
import { isoFromMillis } from '../domain/timestamp.ts';
import { Members, Sequence } from './sequence.ts';

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
  const values = {
    numericValues: new Map<string, Stretch[]>(),
    stringValues: new Map<string, Stretch[]>(),
    binaryValues: new Map<string, Stretch[]>(),
  };
  const tags = new Map<string, Stretch[]>();
  const times: Stretch[] = [];
  let total = 0;
  const add = (to: Map<string, Stretch[]>, name: string, rows: Rows, valueAt: Stretch['valueAt']): void => {
    const stretches = to.get(name) ?? [];
    stretches.push({ start: total, end: total + rows.count, valueAt });
    to.set(name, stretches);
  };
  for (const rows of all) {
    const { base, offsets, count } = rows;
    times.push({ start: total, end: total + count, valueAt: (row) => base + BigInt(offsets[row]!) });
    for (const column of rows.columns) {
      const group = groups[column.kind];
      if (group === undefined || !isWanted(column.name)) continue;
      add(values[group], column.name, rows, valuesOf(column));
    }
    for (const name of new Set(rows.tagSets.flatMap(({ pairs }) => pairs.map(([tag]) => tag)))) {
      add(tags, name, rows, tagOf(rows, name));
    }
    total += count;
  }
  const sequences = (columns: Map<string, Stretch[]>): Record<string, Sequence> =>
    Object.fromEntries([...columns].map(([name, stretches]) => [name, sequenceOf(total, stretches)]));
  return {
    topicId: topic,
    topicName: topic,
    streamId,
    epoch: 0n,
    timestamps: sequenceOf(total, times),
    numericValues: sequences(values.numericValues),
    stringValues: sequences(values.stringValues),
    binaryValues: sequences(values.binaryValues),
    tagValues: sequences(tags),
  };
}

const groups = {
  [Kind.Numeric]: 'numericValues',
  [Kind.String]: 'stringValues',
  [Kind.Binary]: 'binaryValues',
  [Kind.Event]: undefined,
} as const;

/** The elements `[start, end)` of a column; `valueAt` counts from `start`. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly valueAt: (row: number) => unknown;
}

export function sequenceOf(length: number, stretches: readonly Stretch[]): Sequence {
  return new Sequence(length, (into, from, to) => {
    for (const { start, end, valueAt } of stretches) {
      const last = Math.min(to, end);
      for (let i = Math.max(from, start); i < last; i++) into[i - from] = valueAt(i - start);
    }
  });
}

function valuesOf(column: Column): Stretch['valueAt'] {
  const { present } = column;
  if (column.kind !== Kind.Numeric) {
    return (row) => (isPresent(present, row) ? textOrBytes(column, row) : null);
  }
  const { values } = column;
  if (present === undefined) return (row) => values[row]!;
  return (row) => (isPresent(present, row) ? values[row]! : null);
}

/** Strings as text, binaries as bytes. */
function textOrBytes({ kind, bytes, ends }: BytesColumn, row: number): string | Uint8Array {
  const from = row === 0 ? 0 : ends[row - 1]!;
  const value = Buffer.from(bytes.buffer, bytes.byteOffset + from, ends[row]! - from);
  return kind === Kind.Binary ? value : value.toString();
}

function tagOf({ tagSets, tagIndex }: Rows, name: string): Stretch['valueAt'] {
  const values = tagSets.map((set) => tagValue(set, name) ?? null);
  return (row) => values[tagIndex?.[row] ?? 0]!;
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
    parameters: definedMembers(parameters, parameterDefinitions, parameterModel),
    events: definedMembers(
      eventIds.map((name) => ({ kind: Kind.Event, name })),
      eventDefinitions,
      eventModel,
    ),
    firstSeen: isoFromMillis(stream.createdAt),
    lastSeen,
    lastData: stream.dataStart === undefined ? null : lastSeen,
    status: 'Receiving',
  };
}

/**
 * What is written and what is defined, by id: there may be tens of thousands. Each name is shown under one kind: of a name of
 * several kinds it is that of its numbers, then of its strings.
 */
function definedMembers<Definition extends { readonly id: string }>(
  written: readonly ParameterKey[],
  definitions: readonly Definition[],
  modelOf: (definition: Definition | { readonly id: string }, kind: Kind | undefined) => unknown,
): Members {
  return new Members(function* () {
    let looked = 0;
    const kinds = new Map<string, Kind>();
    for (const { name, kind } of written) {
      const known = kinds.get(name);
      if (known === undefined || kind < known) kinds.set(name, kind);
      if (++looked % fewNames === 0) yield undefined;
    }
    const defined = new Map<string, Definition>();
    for (const definition of definitions) {
      defined.set(definition.id, definition);
      if (++looked % fewNames === 0) yield undefined;
    }
    for (const [id, kind] of kinds) yield [id, modelOf(defined.get(id) ?? { id }, kind)];
    for (const [id, definition] of defined) if (!kinds.has(id)) yield [id, modelOf(definition, undefined)];
  });
}

/** The most names that are looked up at once: a fraction of a millisecond. */
const fewNames = 1000;

const dataTypes = ['Numeric', 'String', 'Binary', 'Unknown'] as const;

function parameterModel(definition: ParameterDefinition, kind: Kind | undefined) {
  return {
    name: definition.name ?? definition.id,
    description: definition.description ?? null,
    dataType: dataTypes[kind ?? 3],
    minimumValue: definition.minimumValue ?? null,
    maximumValue: definition.maximumValue ?? null,
    valueNames: definition.valueNames ?? null,
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
