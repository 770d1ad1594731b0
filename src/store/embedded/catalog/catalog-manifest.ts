import type { Kind } from '../../../domain/parameter-data.ts';
import type { TokenRecord } from '../../../domain/principal.ts';
import type { EndType, StreamProperties } from '../../../domain/stream.ts';
import { workspaceFromJson, workspaceToJson } from './batch-draft.ts';
import { putToken, putWorkspace } from './catalog-changes.ts';
import {
  type CatalogState,
  type Dirty,
  emptyDirty,
  placeParameter,
  placeStream,
  placeTopic,
  type Topic,
} from './catalog-state.ts';
import { type ListsToSave, listsToSave, loadedLists } from './definition-manifest.ts';
import type { Key, Manifest, ManifestChange, TableName } from './manifest.ts';
import { loadTombstones } from './tombstone-table.ts';

/** A stream's entry in the manifest; times in ms, data bounds in ns as digits. */
interface StreamEntry {
  readonly topic: number;
  readonly id: string;
  readonly createdAt: number;
  readonly lastUpdate: number;
  /** Where a delete of rows came later. */
  readonly lastWrite?: number;
  readonly data?: readonly [start: string, end: string];
  readonly ended?: EndType;
  readonly softDeleted?: true;
  readonly parameters: readonly number[];
  readonly properties?: StreamProperties;
  /** Numbers of its lists in `parameterDefinitions` and `eventDefinitions`, 0 for none. */
  readonly definitions?: readonly [parameters: number, events: number];
}

interface TopicEntry {
  readonly workspace: string;
  readonly name: string;
  /** Nanoseconds, as digits. */
  readonly retention?: string;
}

/** Fills an empty state from the manifest. `onProgress` hears of streams done and in all. */
export function loadCatalog(
  state: CatalogState,
  manifest: Manifest,
  onDamage: (table: TableName, key: Key) => void,
  onProgress: (done: number, total: number) => void = () => undefined,
): void {
  let topicLost = false;
  const entries = (table: TableName) =>
    manifest.entries(table, (key) => {
      onDamage(table, key);
      if (table === 'topics') topicLost = true;
      if (table === 'streams') state.unreadable.add(Number(key));
      // Parts have columns under this number, so it stays taken.
      if (table === 'parameters')
        while (state.parameters.length <= Number(key)) state.parameters.push(undefined);
    });
  for (const { value } of entries('workspaces')) putWorkspace(state, workspaceFromJson(value));
  for (const { value } of entries('tokens')) putToken(state, value as TokenRecord);
  for (const { key, value } of entries('topics')) {
    const { workspace, name, retention } = value as TopicEntry;
    const topic = placeTopic(state, Number(key), workspace, name);
    topic.retention = retention === undefined ? undefined : BigInt(retention);
    topic.visible = true;
    topic.persisted = true;
  }
  for (const { key, value } of entries('parameters')) {
    const { kind, name } = value as { kind: Kind; name: string };
    placeParameter(state, Number(key), kind, name).persisted = true;
  }
  const parameterLists = loadedLists(manifest, 'parameterDefinitions', state.parameterDefinitions, onDamage);
  const eventLists = loadedLists(manifest, 'eventDefinitions', state.eventDefinitions, onDamage);
  const total = manifest.count('streams');
  let done = 0;
  for (const { key, value } of entries('streams')) {
    const entry = value as StreamEntry;
    const known = loadStream(state, Number(key), entry);
    const [parameterList, eventList] = entry.definitions ?? [0, 0];
    parameterLists.give(known ? Number(key) : undefined, parameterList);
    eventLists.give(known ? Number(key) : undefined, eventList);
    if (!known && topicLost) state.unreadable.add(Number(key));
    if (++done % 50_000 === 0) onProgress(done, total);
  }
  loadTombstones(state.tombstones, manifest, (lsn) => onDamage('masks', lsn));
  parameterLists.end();
  eventLists.end();
  reserveNumbers(state, manifest);
  Object.assign(state.dirty, emptyDirty());
}

/** False where there is no such topic: it is damaged, or a removal was interrupted. */
function loadStream(state: CatalogState, number: number, entry: StreamEntry): boolean {
  const topic = state.topics[entry.topic];
  if (topic === undefined) return false;
  const { streams } = state;
  placeStream(state, number, topic, entry.id);
  streams.show(number, entry.createdAt);
  streams.setPersisted(number);
  const { rows } = streams;
  rows.lastUpdate[number] = entry.lastUpdate;
  rows.lastWrite[number] = entry.lastWrite ?? entry.lastUpdate;
  rows.ended[number] = entry.ended;
  rows.softDeleted[number] = entry.softDeleted === true;
  rows.properties[number] = entry.properties;
  rows.parameters[number] = state.sets.intern(entry.parameters);
  if (entry.data !== undefined) {
    rows.hasData[number] = true;
    rows.dataStart[number] = BigInt(entry.data[0]);
    rows.dataEnd[number] = BigInt(entry.data[1]);
  }
  return true;
}

/** Numbers of what was removed stay taken: rows in parts may still carry them. */
function reserveNumbers(state: CatalogState, manifest: Manifest): void {
  const nextStream = Number(manifest.read('meta', 'nextStream') ?? 1);
  if (nextStream > state.streams.size) state.streams.place(nextStream - 1, 0, '');
  const nextTopic = Number(manifest.read('meta', 'nextTopic') ?? 1);
  while (state.topics.length < nextTopic) state.topics.push(undefined);
}

/** Entries of one transaction when a large catalogue is written: a few milliseconds of the main thread. */
const chunkEntries = 2000;

/**
 * Writes what changed since the last flush. The state may be newer than the LSN that the flush is for: replaying
 * the log over it changes nothing. Chunks need no common transaction for the same reason.
 */
export async function saveCatalog(state: CatalogState, manifest: Manifest): Promise<void> {
  const dirty = { ...state.dirty };
  Object.assign(state.dirty, emptyDirty());
  const lists = [
    listsToSave('parameterDefinitions', state.parameterDefinitions),
    listsToSave('eventDefinitions', state.eventDefinitions),
  ];
  try {
    for (const chunk of chunks(changesOf(state, dirty, lists))) await manifest.commit(chunk);
  } catch (error) {
    for (const key of Object.keys(dirty) as (keyof Dirty)[]) {
      for (const item of dirty[key]) (state.dirty[key] as Set<unknown>).add(item);
    }
    throw error;
  }
  for (const number of dirty.topics) {
    const topic = state.topics[number];
    if (topic !== undefined) topic.persisted = true;
  }
  for (const number of dirty.parameters) state.parameters[number]!.persisted = true;
  for (const number of dirty.streams) if (state.streams.isVisible(number)) state.streams.setPersisted(number);
  for (const saved of lists) saved.done();
}

function* changesOf(
  state: CatalogState,
  dirty: Dirty,
  lists: readonly ListsToSave[],
): Generator<ManifestChange> {
  yield { table: 'meta', key: 'nextStream', value: state.streams.size };
  yield { table: 'meta', key: 'nextTopic', value: state.topics.length };
  for (const name of dirty.workspaces) {
    const workspace = state.workspaces.get(name);
    yield { table: 'workspaces', key: name, value: workspace && workspaceToJson(workspace) };
  }
  for (const id of dirty.tokens) yield { table: 'tokens', key: id, value: state.tokens.get(id) };
  for (const number of dirty.topics) {
    const topic = state.topics[number];
    yield { table: 'topics', key: number, value: topic && topicEntry(topic) };
  }
  for (const number of dirty.parameters) {
    const { kind, name } = state.parameters[number]!;
    yield { table: 'parameters', key: number, value: { kind, name } };
  }
  for (const number of dirty.streams) {
    for (const saved of lists) yield* saved.listOf(number);
    yield { table: 'streams', key: number, value: streamEntry(state, number) };
  }
  for (const saved of lists) yield* saved.removals();
}

function topicEntry({ workspace, name, retention }: Topic): TopicEntry {
  return { workspace, name, ...(retention !== undefined && { retention: String(retention) }) };
}

function streamEntry(state: CatalogState, number: number): StreamEntry | undefined {
  const { streams, sets } = state;
  if (!streams.isVisible(number)) return undefined;
  const { rows } = streams;
  const ended = rows.ended[number];
  const properties = rows.properties[number];
  const definitions = [
    state.parameterDefinitions.numberOf(number),
    state.eventDefinitions.numberOf(number),
  ] as const;
  return {
    topic: streams.topic(number),
    id: streams.id(number),
    createdAt: rows.createdAt[number]!,
    lastUpdate: rows.lastUpdate[number]!,
    ...(rows.lastWrite[number] !== rows.lastUpdate[number] && { lastWrite: rows.lastWrite[number]! }),
    parameters: sets.members(rows.parameters[number]!),
    ...(rows.hasData[number] === true && {
      data: [String(rows.dataStart[number]), String(rows.dataEnd[number])] as const,
    }),
    ...(ended !== undefined && { ended }),
    ...(rows.softDeleted[number] === true && { softDeleted: true as const }),
    ...(properties !== undefined && { properties }),
    ...((definitions[0] > 0 || definitions[1] > 0) && { definitions }),
  };
}

function* chunks(changes: Iterable<ManifestChange>): Generator<ManifestChange[]> {
  let chunk: ManifestChange[] = [];
  for (const change of changes) {
    chunk.push(change);
    if (chunk.length === chunkEntries) {
      yield chunk;
      chunk = [];
    }
  }
  yield chunk;
}
