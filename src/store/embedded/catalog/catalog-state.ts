import type { EventDefinition, ParameterDefinition } from '../../../domain/definition.ts';
import { type DocumentTable, documentTable } from '../../../domain/document.ts';
import type { Kind, ParameterKey } from '../../../domain/parameter-data.ts';
import type { TokenRecord, WorkspaceRecord } from '../../../domain/principal.ts';
import { foldTopic } from '../../../domain/topic.ts';
import type { SectionDraft } from '../log/sections.ts';
import { type DefinitionTable, definitionTable } from './definition-table.ts';
import { type NumberMarks, numberMarks } from './number-marks.ts';
import { type ParameterSets, parameterSets } from './parameter-sets.ts';
import { type RemovalLog, removalLog } from './removal-log.ts';
import type { StreamExtent } from './stream-extent.ts';
import { type StreamIds, streamIds } from './stream-ids.ts';
import { type StreamTable, streamTable } from './stream-table.ts';
import { type TombstoneTable, tombstoneTable } from './tombstone-table.ts';

/**
 * Everything small, in memory: workspaces, tokens, kept documents, topics, parameters and streams, in the state of the last
 * durable record. Records change it through catalog-changes.ts, in LSN order; what changed since the last
 * flush is in `dirty` until the manifest has it.
 */
export interface CatalogState {
  /** Milliseconds since the Unix epoch: rows expire by it. Not by the machine's clock, which may be wrong. */
  readonly believedTime: () => number;
  readonly workspaces: Map<string, WorkspaceRecord>;
  readonly tokens: Map<string, TokenRecord>;
  readonly tokensByHash: Map<string, TokenRecord>;
  readonly documents: DocumentTable;
  /** By number, from 1; undefined where a workspace was removed. */
  readonly topics: (Topic | undefined)[];
  readonly topicsByName: Map<string, Map<string, Topic>>;
  /** By number, from 1. */
  readonly parameters: (Parameter | undefined)[];
  /** One map per kind. */
  readonly parametersByName: Readonly<Record<Kind, Map<string, Parameter>>>;
  readonly streams: StreamTable;
  /** Streams that take the ids of `leaving` ones, once someone has written to those ids. */
  readonly successors: Map<number, number>;
  /** Streams of records that are drafted and have no place in the log yet, and that no other record makes. */
  readonly unplaced: Set<number>;
  readonly sets: ParameterSets;
  readonly parameterUse: ParameterUse;
  readonly parameterDefinitions: DefinitionTable<ParameterDefinition>;
  readonly eventDefinitions: DefinitionTable<EventDefinition>;
  /** Deletes of rows that parts or heads have not applied yet. */
  readonly tombstones: TombstoneTable;
  /** Streams whose extents are being computed anew, with what is written to them meanwhile. */
  readonly watches: Map<number, readonly StreamExtent[]>;
  readonly removals: RemovalLog;
  readonly showing: Showing;
  /** Streams that were removed and are out of sight, of which the catalogue has not let go yet (forgetRemoved). */
  readonly removed: Uint32Array[];
  /** Grows whenever a number may lose its meaning for a record that is drafted and has no place in the log yet. */
  readonly lostNumbers: { count: number };
  readonly dirty: Dirty;
  /** Streams whose entry, or whose topic's, the manifest cannot give: they are hidden, and their rows are kept. */
  readonly unreadable: Set<number>;
}

/** Counts what makes streams with rows appear or disappear: deletes, restores, writes to soft-deleted streams. */
export interface Showing {
  changes: number;
}

/** Parameters whose names may go (unused-parameters.ts). */
export interface ParameterUse {
  /** Numbers of those that perhaps no stream has, and the last record that may use them, once that is known. */
  readonly unused: Map<number, number | undefined>;
  /** Numbers of those that went, and that the manifest still has. */
  readonly forgotten: Set<number>;
}

export interface Topic {
  readonly number: number;
  readonly workspace: string;
  /** As it was first spelt. */
  readonly name: string;
  /** Age of rows by their time, in ns; older ones are expired. */
  retention: bigint | undefined;
  /** Stream numbers by id; also reserved ones that are not visible yet. */
  readonly streams: StreamIds;
  /** Whether a durable record has used it. */
  visible: boolean;
  persisted: boolean;
}

export interface Parameter extends ParameterKey {
  readonly number: number;
  persisted: boolean;
  /** The section that defines it, once made: many records carry it until the manifest has the parameter. */
  section: SectionDraft | undefined;
}

/** Keys of what the manifest does not have yet in its present state. */
export interface Dirty {
  readonly workspaces: Set<string>;
  readonly tokens: Set<string>;
  /** By `documentKey`. */
  readonly documents: Set<string>;
  readonly topics: Set<number>;
  readonly parameters: Set<number>;
  readonly streams: NumberMarks;
}

export function emptyDirty(): Dirty {
  return {
    workspaces: new Set(),
    tokens: new Set(),
    documents: new Set(),
    topics: new Set(),
    parameters: new Set(),
    streams: numberMarks(),
  };
}

export function catalogState(believedTime: () => number = Date.now): CatalogState {
  const unused = new Map<number, number | undefined>();
  return {
    believedTime,
    workspaces: new Map(),
    tokens: new Map(),
    tokensByHash: new Map(),
    documents: documentTable(),
    topics: [undefined],
    topicsByName: new Map(),
    parameters: [undefined],
    parametersByName: { 0: new Map(), 1: new Map(), 2: new Map(), 3: new Map() },
    streams: streamTable(),
    successors: new Map(),
    unplaced: new Set(),
    sets: parameterSets((parameter) => unused.set(parameter, undefined)),
    parameterUse: { unused, forgotten: new Set() },
    parameterDefinitions: definitionTable(),
    eventDefinitions: definitionTable(),
    tombstones: tombstoneTable(),
    watches: new Map(),
    // A stop may have come before the rows that were dead then were looked for.
    removals: removalLog(),
    showing: { changes: 0 },
    removed: [],
    lostNumbers: { count: 0 },
    dirty: emptyDirty(),
    unreadable: new Set(),
  };
}

/** The topic of that name in any case, visible or only reserved. */
export function findTopic(state: CatalogState, workspace: string, name: string): Topic | undefined {
  return state.topicsByName.get(workspace)?.get(foldTopic(name));
}

/** The number of a visible stream. */
export function findStream(
  state: CatalogState,
  workspace: string,
  topic: string,
  id: string,
): number | undefined {
  const number = findTopic(state, workspace, topic)?.streams.get(id);
  return number !== undefined && state.streams.isVisible(number) ? number : undefined;
}

export function reserveTopic(state: CatalogState, workspace: string, name: string): Topic {
  return findTopic(state, workspace, name) ?? placeTopic(state, state.topics.length, workspace, name);
}

/**
 * Puts a topic at its number. Replay over a newer state may have found its name under the number of a topic that
 * was removed before it; the later record is right.
 */
export function placeTopic(state: CatalogState, number: number, workspace: string, name: string): Topic {
  const topic: Topic = state.topics[number] ?? {
    number,
    workspace,
    name,
    retention: undefined,
    streams: streamIds(state.streams.id),
    visible: false,
    persisted: false,
  };
  while (state.topics.length <= number) state.topics.push(undefined);
  state.topics[number] = topic;
  const names = state.topicsByName.get(workspace) ?? new Map<string, Topic>();
  state.topicsByName.set(workspace, names.set(foldTopic(name), topic));
  return topic;
}

/** The parameter that a record which is drafted now has values of. */
export function reserveParameter(state: CatalogState, kind: Kind, name: string): Parameter {
  const known = state.parametersByName[kind].get(name);
  if (known === undefined) return placeParameter(state, state.parameters.length, kind, name);
  const { unused } = state.parameterUse;
  if (unused.size > 0 && unused.has(known.number)) unused.set(known.number, undefined);
  return known;
}

export function placeParameter(state: CatalogState, number: number, kind: Kind, name: string): Parameter {
  const known = state.parameters[number];
  if (known !== undefined) return known;
  const parameter: Parameter = { number, kind, name, persisted: false, section: undefined };
  while (state.parameters.length <= number) state.parameters.push(undefined);
  state.parameters[number] = parameter;
  state.parameterUse.unused.set(number, undefined);
  const names = state.parametersByName[kind];
  // A stop may have left a number that the name had before.
  if (number > (names.get(name)?.number ?? 0)) names.set(name, parameter);
  return parameter;
}

/** The stream that a record which is drafted now writes to. */
export function reserveStream(state: CatalogState, topic: Topic, id: string): number {
  const known = topic.streams.get(id);
  const isLeaving = known !== undefined && state.streams.rows.leaving[known] === true;
  const number = isLeaving ? state.successors.get(known) : known;
  if (number !== undefined) return number;
  const reserved = state.streams.reserve(topic.number, id);
  state.unplaced.add(reserved);
  if (isLeaving) state.successors.set(known, reserved);
  else topic.streams.set(id, reserved);
  return reserved;
}

/** Whether a record that gets its place now would make the stream. */
export function isNewStream(state: CatalogState, workspace: string, topic: string, id: string): boolean {
  const known = findTopic(state, workspace, topic)?.streams.get(id);
  const isLeaving = known !== undefined && state.streams.rows.leaving[known] === true;
  const number = isLeaving ? state.successors.get(known) : known;
  return number === undefined || state.unplaced.has(number);
}

/** A record of these sections gets its place. */
export function placeStreams({ unplaced }: CatalogState, drafts: readonly SectionDraft[]): void {
  if (unplaced.size === 0) return;
  for (const { makes } of drafts) if (makes !== undefined) unplaced.delete(makes);
}

/**
 * Puts a stream at its number. Replay over a newer state may have found its id under the number of a later stream,
 * which keeps it: the earlier one is removed further on in the log.
 */
export function placeStream(state: CatalogState, number: number, topic: Topic, id: string): void {
  state.unplaced.delete(number);
  state.streams.place(number, topic.number, id);
  topic.streams.setNewer(id, number);
}

/** Whether a stream exists, or may exist: what stood of it in the manifest may be damaged. */
export function mayExist({ streams, unreadable }: CatalogState, stream: number): boolean {
  return streams.isVisible(stream) || unreadable.has(stream);
}
