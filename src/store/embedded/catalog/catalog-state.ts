import type { EventDefinition, ParameterDefinition } from '../../../domain/definition.ts';
import type { Kind, ParameterKey } from '../../../domain/parameter-data.ts';
import type { TokenRecord, WorkspaceRecord } from '../../../domain/principal.ts';
import type { EndType, StreamProperties } from '../../../domain/stream.ts';
import { type Extent, extend } from '../deletes/extent.ts';
import { type MaskTable, maskTable } from '../deletes/mask-table.ts';
import type { SectionDraft } from '../log/sections.ts';
import { type DefinitionTable, definitionTable } from './definition-table.ts';
import { type ParameterSets, parameterSets } from './parameter-sets.ts';
import { type StreamTable, streamTable } from './stream-table.ts';

/**
 * Everything small, in memory: workspaces, tokens, topics, parameters and streams, in the state of the last
 * durable record. Records change it through the functions below, in LSN order; what changed since the last
 * flush is in `dirty` until the manifest has it.
 */
export interface CatalogState {
  /** Milliseconds since the Unix epoch. */
  readonly clock: () => number;
  readonly workspaces: Map<string, WorkspaceRecord>;
  readonly tokens: Map<string, TokenRecord>;
  readonly tokensByHash: Map<string, TokenRecord>;
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
  readonly sets: ParameterSets;
  readonly parameterDefinitions: DefinitionTable<ParameterDefinition>;
  readonly eventDefinitions: DefinitionTable<EventDefinition>;
  /** Deletes of rows that parts or heads have not applied yet. */
  readonly masks: MaskTable;
  /** Streams whose extents are being computed anew, with what is written to them meanwhile. */
  readonly watches: Map<number, readonly Extent[]>;
  /** Counts what may have made rows dead besides masks: streams that went, retention that changed. */
  deaths: number;
  readonly dirty: Dirty;
  /** Streams whose entry, or whose topic's, the manifest cannot give: they are hidden, and their rows are kept. */
  readonly unreadable: Set<number>;
}

export interface Topic {
  readonly number: number;
  readonly workspace: string;
  /** As it was first spelt. */
  readonly name: string;
  /** Age of rows by their time, in ns; older ones are expired. */
  retention: bigint | undefined;
  /** Stream numbers by id; also reserved ones that are not visible yet. */
  readonly streams: Map<string, number>;
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
  readonly topics: Set<number>;
  readonly parameters: Set<number>;
  readonly streams: Set<number>;
}

export function emptyDirty(): Dirty {
  return {
    workspaces: new Set(),
    tokens: new Set(),
    topics: new Set(),
    parameters: new Set(),
    streams: new Set(),
  };
}

/** @param clock milliseconds since the Unix epoch: what is expired now */
export function catalogState(clock: () => number = Date.now): CatalogState {
  return {
    clock,
    workspaces: new Map(),
    tokens: new Map(),
    tokensByHash: new Map(),
    topics: [undefined],
    topicsByName: new Map(),
    parameters: [undefined],
    parametersByName: { 0: new Map(), 1: new Map(), 2: new Map(), 3: new Map() },
    streams: streamTable(),
    successors: new Map(),
    sets: parameterSets(),
    parameterDefinitions: definitionTable(),
    eventDefinitions: definitionTable(),
    masks: maskTable(),
    watches: new Map(),
    // A stop may have come before the rows that were dead then were looked for.
    deaths: 1,
    dirty: emptyDirty(),
    unreadable: new Set(),
  };
}

/** The topic of that name in any case, visible or only reserved. */
export function findTopic(state: CatalogState, workspace: string, name: string): Topic | undefined {
  return state.topicsByName.get(workspace)?.get(name.toLowerCase());
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
    streams: new Map(),
    visible: false,
    persisted: false,
  };
  while (state.topics.length <= number) state.topics.push(undefined);
  state.topics[number] = topic;
  const names = state.topicsByName.get(workspace) ?? new Map<string, Topic>();
  state.topicsByName.set(workspace, names.set(name.toLowerCase(), topic));
  return topic;
}

/** Replaces the settings of a topic, which is there from now on, with or without streams. */
export function setTopic(state: CatalogState, number: number, retention: bigint | undefined): void {
  const topic = state.topics[number];
  if (topic === undefined) return;
  if (topic.retention !== retention) state.deaths++;
  topic.retention = retention;
  topic.visible = true;
  state.dirty.topics.add(number);
}

export function reserveParameter(state: CatalogState, kind: Kind, name: string): Parameter {
  return state.parametersByName[kind].get(name) ?? placeParameter(state, state.parameters.length, kind, name);
}

export function placeParameter(state: CatalogState, number: number, kind: Kind, name: string): Parameter {
  const known = state.parameters[number];
  if (known !== undefined) return known;
  const parameter: Parameter = { number, kind, name, persisted: false, section: undefined };
  while (state.parameters.length <= number) state.parameters.push(undefined);
  state.parameters[number] = parameter;
  state.parametersByName[kind].set(name, parameter);
  return parameter;
}

/** The stream that a record which is drafted now writes to. */
export function reserveStream(state: CatalogState, topic: Topic, id: string): number {
  const known = topic.streams.get(id);
  const isLeaving = known !== undefined && state.streams.rows.leaving[known] === true;
  const number = isLeaving ? state.successors.get(known) : known;
  if (number !== undefined) return number;
  const reserved = state.streams.reserve(topic.number, id);
  if (isLeaving) state.successors.set(known, reserved);
  else topic.streams.set(id, reserved);
  return reserved;
}

/**
 * Puts a stream at its number. Replay over a newer state may have found its id under the number of a later stream,
 * which keeps it: the earlier one is removed further on in the log.
 */
export function placeStream(state: CatalogState, number: number, topic: Topic, id: string): void {
  state.streams.place(number, topic.number, id);
  if (number > (topic.streams.get(id) ?? 0)) topic.streams.set(id, number);
}

/** A durable record wrote to the stream at `arrival` (ms): it exists, and it is open. */
export function openStream(state: CatalogState, stream: number, arrival: number): void {
  const { streams } = state;
  const topic = state.topics[streams.topic(stream)];
  if (topic === undefined) return;
  if (!topic.visible) {
    topic.visible = true;
    state.dirty.topics.add(topic.number);
  }
  if (!state.workspaces.has(topic.workspace)) {
    putWorkspace(state, { name: topic.workspace, createdAt: arrival });
  }
  if (!streams.isVisible(stream)) streams.show(stream, streams.rows.createdAt[stream] || arrival);
  if (arrival > streams.rows.lastUpdate[stream]!) streams.rows.lastUpdate[stream] = arrival;
  if (arrival > streams.rows.lastWrite[stream]!) streams.rows.lastWrite[stream] = arrival;
  streams.rows.ended[stream] = undefined;
  streams.rows.softDeleted[stream] = false;
  state.dirty.streams.add(stream);
}

/** A change at `arrival` (ms) that is no write: the stream's status stays as it is. */
export function touchStream(state: CatalogState, stream: number, arrival: number): void {
  const { rows } = state.streams;
  if (!state.streams.isVisible(stream) || arrival <= rows.lastUpdate[stream]!) return;
  rows.lastUpdate[stream] = arrival;
  state.dirty.streams.add(stream);
}

/** The stream has rows from `first` to `last` (ns) with these parameters. */
export function extendStream(
  state: CatalogState,
  stream: number,
  first: bigint,
  last: bigint,
  parameters: readonly number[],
): void {
  const { rows } = state.streams;
  if (state.watches.size > 0) {
    for (const watch of state.watches.get(stream) ?? []) extend(watch, first, last, parameters);
  }
  if (rows.hasData[stream] === true) {
    if (first < rows.dataStart[stream]!) rows.dataStart[stream] = first;
    if (last > rows.dataEnd[stream]!) rows.dataEnd[stream] = last;
  } else {
    rows.hasData[stream] = true;
    rows.dataStart[stream] = first;
    rows.dataEnd[stream] = last;
  }
  const set = rows.parameters[stream]!;
  const fresh = state.sets.missing(set, parameters);
  if (fresh.length === 0) return;
  rows.parameters[stream] = state.sets.extend(set, fresh);
  for (const parameter of fresh) {
    if (state.parameters[parameter]?.persisted === false) state.dirty.parameters.add(parameter);
  }
}

/** The stream has exactly these rows. */
export function setExtent(state: CatalogState, stream: number, extent: Extent): void {
  const { rows } = state.streams;
  if (!state.streams.isVisible(stream)) return;
  rows.hasData[stream] = !extent.isEmpty;
  rows.dataStart[stream] = extent.first;
  rows.dataEnd[stream] = extent.last;
  const before = rows.parameters[stream]!;
  rows.parameters[stream] = state.sets.intern(extent.isEmpty ? [] : [...extent.parameters]);
  state.sets.release(before);
  state.dirty.streams.add(stream);
}

export function setProperties(state: CatalogState, stream: number, properties: StreamProperties): void {
  state.streams.rows.properties[stream] = properties;
  state.dirty.streams.add(stream);
}

/** The stream is there, or it is unknown and nothing happens. */
export function mergeDefinitions<Definition extends { readonly id: string }>(
  state: CatalogState,
  table: DefinitionTable<Definition>,
  stream: number,
  definitions: readonly Definition[],
): void {
  if (!state.streams.isVisible(stream)) return;
  table.merge(stream, definitions);
  state.dirty.streams.add(stream);
}

export function endStream(state: CatalogState, stream: number, endType: EndType, arrival: number): void {
  const { rows } = state.streams;
  if (!state.streams.isVisible(stream)) return;
  rows.ended[stream] = endType;
  if (arrival > rows.lastUpdate[stream]!) rows.lastUpdate[stream] = arrival;
  if (arrival > rows.lastWrite[stream]!) rows.lastWrite[stream] = arrival;
  state.dirty.streams.add(stream);
}

export function putToken(state: CatalogState, token: TokenRecord): void {
  state.tokens.set(token.id, token);
  state.tokensByHash.set(token.hash, token);
  state.dirty.tokens.add(token.id);
}

export function removeToken(state: CatalogState, id: string): void {
  const token = state.tokens.get(id);
  if (token === undefined) return;
  state.tokens.delete(id);
  state.tokensByHash.delete(token.hash);
  state.dirty.tokens.add(id);
}

export function putWorkspace(state: CatalogState, workspace: WorkspaceRecord): void {
  if (state.workspaces.get(workspace.name)?.retention !== workspace.retention) state.deaths++;
  state.workspaces.set(workspace.name, workspace);
  state.dirty.workspaces.add(workspace.name);
}

/** The stream shows nowhere until it is restored or written to; all that it has stays. */
export function softDeleteStream(state: CatalogState, stream: number): void {
  const { isVisible, rows } = state.streams;
  if (!isVisible(stream) || rows.softDeleted[stream] === true) return;
  rows.softDeleted[stream] = true;
  state.dirty.streams.add(stream);
}

/** Takes a soft delete back: the stream is as it was before. */
export function restoreStream(state: CatalogState, stream: number): void {
  const { isVisible, rows } = state.streams;
  if (!isVisible(stream) || rows.softDeleted[stream] !== true) return;
  rows.softDeleted[stream] = false;
  state.dirty.streams.add(stream);
}

/**
 * A removal of the stream for good has its place in the log: who writes to its id behind that writes to a successor.
 * The stream itself stays as it is until the removal is durable, and afterwards if it fails (`stayStream`).
 */
export function leaveStream(state: CatalogState, stream: number): void {
  state.streams.rows.leaving[stream] = true;
}

/** The removal failed, and with it all that stood behind it in the log. */
export function stayStream(state: CatalogState, stream: number): void {
  state.streams.rows.leaving[stream] = false;
  state.successors.delete(stream);
}

/** Removes a stream for good; its rows are no longer reachable, for its number is never used again. */
export function removeStream(state: CatalogState, stream: number): void {
  const topic = state.topics[state.streams.topic(stream)];
  if (topic === undefined) return;
  const id = state.streams.id(stream);
  if (topic.streams.get(id) === stream) {
    const successor = state.successors.get(stream);
    if (successor === undefined) topic.streams.delete(id);
    else topic.streams.set(id, successor);
  }
  state.successors.delete(stream);
  forgetStream(state, stream);
}

function forgetStream(state: CatalogState, stream: number): void {
  if (state.streams.isVisible(stream)) state.deaths++;
  state.sets.release(state.streams.rows.parameters[stream]!);
  state.streams.remove(stream);
  state.parameterDefinitions.remove(stream);
  state.eventDefinitions.remove(stream);
  state.dirty.streams.add(stream);
}

/** Removes a workspace with its tokens, topics and streams; its rows are no longer reachable. */
export function removeWorkspace(state: CatalogState, name: string): void {
  for (const token of [...state.tokens.values()]) if (token.workspace === name) removeToken(state, token.id);
  for (const topic of state.topicsByName.get(name)?.values() ?? []) {
    for (const stream of topic.streams.values()) forgetStream(state, stream);
    topic.streams.clear();
    state.topics[topic.number] = undefined;
    state.dirty.topics.add(topic.number);
  }
  state.topicsByName.delete(name);
  state.workspaces.delete(name);
  state.dirty.workspaces.add(name);
}
