import { type Document, type DocumentName, documentKey } from '../../../domain/document.ts';
import type { TokenRecord, WorkspaceRecord } from '../../../domain/principal.ts';
import type { EndType, StreamProperties } from '../../../domain/stream.ts';
import type { Steps } from '../../../turns/steps.ts';
import type { CatalogState } from './catalog-state.ts';
import type { DefinitionTable } from './definition-table.ts';
import { extend, type StreamExtent } from './stream-extent.ts';

// What durable records change in the catalogue. Each change marks what the manifest does not have yet.

/** Replaces the settings of a topic, which is there from now on, with or without streams. */
export function setTopic(state: CatalogState, number: number, retention: bigint | undefined): void {
  const topic = state.topics[number];
  if (topic === undefined) return;
  if (topic.retention !== retention) state.removals.add(undefined);
  topic.retention = retention;
  topic.visible = true;
  state.dirty.topics.add(number);
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
  // Also where the clock was set back: the status goes by it.
  streams.rows.lastWrite[stream] = arrival;
  streams.rows.ended[stream] = undefined;
  if (streams.rows.softDeleted[stream] === true) state.showing.changes++;
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
export function setExtent(state: CatalogState, stream: number, extent: StreamExtent): void {
  const { rows } = state.streams;
  if (!state.streams.isVisible(stream)) return;
  setTimes(state, stream, extent);
  const before = rows.parameters[stream]!;
  rows.parameters[stream] = state.sets.intern(extent.isEmpty ? [] : [...extent.parameters]);
  state.sets.release(before);
}

/** The same of a stream that keeps its parameters. */
export function setTimes(
  state: CatalogState,
  stream: number,
  { first, last, isEmpty }: Omit<StreamExtent, 'parameters'>,
): void {
  const { rows } = state.streams;
  if (!state.streams.isVisible(stream)) return;
  rows.hasData[stream] = !isEmpty;
  rows.dataStart[stream] = first;
  rows.dataEnd[stream] = last;
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
  rows.lastWrite[stream] = arrival;
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
  if (state.workspaces.get(workspace.name)?.retention !== workspace.retention) state.removals.add(undefined);
  state.workspaces.set(workspace.name, workspace);
  state.dirty.workspaces.add(workspace.name);
}

/** A document is kept from `item.updatedAt` (ms) on, in the place of the one of its name. */
export function keepItem(state: CatalogState, workspace: string, item: Document): void {
  if (!state.workspaces.has(workspace)) {
    putWorkspace(state, { name: workspace, createdAt: item.updatedAt });
  }
  state.documents.put(workspace, item);
  state.dirty.documents.add(documentKey(workspace, item));
}

export function forgetItem(state: CatalogState, workspace: string, name: DocumentName): void {
  if (state.documents.get(workspace, name) === undefined) return;
  state.documents.remove(workspace, name);
  state.dirty.documents.add(documentKey(workspace, name));
}

/** The stream shows nowhere until it is restored or written to; all that it has stays. */
export function softDeleteStream(state: CatalogState, stream: number): void {
  const { isVisible, rows } = state.streams;
  if (!isVisible(stream) || rows.softDeleted[stream] === true) return;
  rows.softDeleted[stream] = true;
  state.showing.changes++;
  state.dirty.streams.add(stream);
}

/** Takes a soft delete back: the stream is as it was before. */
export function restoreStream(state: CatalogState, stream: number): void {
  const { isVisible, rows } = state.streams;
  if (!isVisible(stream) || rows.softDeleted[stream] !== true) return;
  rows.softDeleted[stream] = false;
  state.showing.changes++;
  state.dirty.streams.add(stream);
}

/**
 * A removal of the stream for good has its place in the log: who writes to its id after that writes to a successor.
 * The stream itself stays as it is until the removal is durable, and afterwards if it fails (`stayStream`).
 */
export function leaveStream(state: CatalogState, stream: number): void {
  state.streams.rows.leaving[stream] = true;
  state.lostNumbers.count++;
}

/** The removal failed, and with it all that stood after it in the log. */
export function stayStream(state: CatalogState, stream: number): void {
  state.streams.rows.leaving[stream] = false;
  state.successors.delete(stream);
  state.lostNumbers.count++;
}

/** The streams that are removed at once, and then let go of in a step: some milliseconds. */
const removedAtOnce = 256;

/**
 * Removes streams for good, all in one step: of very many the names and the rest of what the catalogue has of them go later
 * (forgetRemoved). Until then their ids are those of streams that are leaving.
 */
export function removeStreams(state: CatalogState, streams: Uint32Array): void {
  if (streams.length <= removedAtOnce) {
    for (const stream of streams) removeStream(state, stream);
    return;
  }
  for (let i = 0; i < streams.length; i++) {
    const stream = streams[i]!;
    if (!state.streams.isVisible(stream)) continue;
    leaveStream(state, stream);
    state.streams.hide(stream);
    state.removals.add(stream);
    state.dirty.streams.add(stream);
  }
  state.lostNumbers.count++;
  state.showing.changes++;
  state.removed.push(streams);
}

/** Lets go of streams that are out of sight for good. */
export function* forgetRemoved(state: CatalogState): Steps<void> {
  for (let streams = state.removed.pop(); streams !== undefined; streams = state.removed.pop()) {
    for (let i = 0; i < streams.length; i++) {
      if (!state.streams.isVisible(streams[i]!)) removeStream(state, streams[i]!);
      if (i % removedAtOnce === removedAtOnce - 1) yield;
    }
  }
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
  state.lostNumbers.count++;
  if (state.streams.isVisible(stream)) state.removals.add(stream);
  state.showing.changes++;
  state.sets.release(state.streams.rows.parameters[stream]!);
  state.streams.remove(stream);
  state.parameterDefinitions.remove(stream);
  state.eventDefinitions.remove(stream);
  state.dirty.streams.add(stream);
}

/** Removes a workspace with its tokens, topics and streams; its rows are no longer reachable. */
export function removeWorkspace(state: CatalogState, name: string): void {
  state.lostNumbers.count++;
  for (const token of [...state.tokens.values()]) if (token.workspace === name) removeToken(state, token.id);
  for (const topic of state.topicsByName.get(name)?.values() ?? []) {
    for (const stream of topic.streams.values()) forgetStream(state, stream);
    topic.streams.clear();
    state.topics[topic.number] = undefined;
    state.dirty.topics.add(topic.number);
  }
  for (const item of state.documents.all(name)) forgetItem(state, name, item);
  state.topicsByName.delete(name);
  state.workspaces.delete(name);
  state.dirty.workspaces.add(name);
}
