import { type Document, documentOfKey } from '../../../domain/document.ts';
import type { Kind } from '../../../domain/parameter-data.ts';
import type { TokenRecord } from '../../../domain/principal.ts';
import { during } from '../../../turns/long-turns.ts';
import { lostEntries, type Manifest, type ManifestChange } from '../manifest/manifest.ts';
import type { StreamEntry } from '../manifest/stream-entry.ts';
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

import { loadTombstones } from './tombstone-table.ts';

/** The rest stands in the key; `topic` is absent where there is none. */
type DocumentEntry = Pick<Document, 'body' | 'updatedAt'> & { readonly topic?: string };

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
  onProgress: (done: number, total: number) => void = () => undefined,
): void {
  const lost = lostEntries(manifest);
  for (const { value } of manifest.entries('workspaces')) putWorkspace(state, workspaceFromJson(value));
  for (const { value } of manifest.entries('tokens')) putToken(state, value as TokenRecord);
  for (const { key, value } of manifest.entries('kept')) {
    const { workspace, name } = documentOfKey(key as string);
    const { topic, body, updatedAt } = value as DocumentEntry;
    state.documents.put(workspace, { ...name, topic, body, updatedAt });
  }
  for (const { key, value } of manifest.entries('topics')) {
    const { workspace, name, retention } = value as TopicEntry;
    const topic = placeTopic(state, Number(key), workspace, name);
    topic.retention = retention === undefined ? undefined : BigInt(retention);
    topic.visible = true;
    topic.persisted = true;
  }
  for (const { key, value } of manifest.entries('parameters')) {
    const { kind, name } = value as { kind: Kind; name: string };
    placeParameter(state, Number(key), kind, name).persisted = true;
  }
  const parameterLists = loadedLists(manifest, 'parameterDefinitions', state.parameterDefinitions);
  const eventLists = loadedLists(manifest, 'eventDefinitions', state.eventDefinitions);
  reserveNumbers(state, manifest);
  const total = manifest.count('streams');
  const setOf = parameterSetOf(state);
  let done = 0;
  manifest.readStreams((stream, entry) => {
    const known = loadStream(state, stream, entry, setOf);
    const { definitions } = entry;
    if (definitions !== undefined) {
      parameterLists.give(known ? stream : undefined, definitions[0]);
      eventLists.give(known ? stream : undefined, definitions[1]);
    }
    if (++done % 50_000 === 0) onProgress(done, total);
  });
  loadTombstones(state.tombstones, manifest);
  parameterLists.end();
  eventLists.end();
  for (const [from, to] of lost === undefined ? [] : (lost.streams ?? hiddenStreams(state)))
    for (let stream = from; stream <= to; stream++) state.unreadable.add(stream);
  Object.assign(state.dirty, emptyDirty());
}

/** Numbers of streams that the catalogue cannot show, from and to: after a loss any of them may be one that exists. */
export function hiddenStreams({ streams }: CatalogState): (readonly [from: number, to: number])[] {
  const ranges: (readonly [number, number])[] = [];
  for (let from = 1; from < streams.size; from++) {
    if (streams.isVisible(from)) continue;
    let to = from;
    while (to + 1 < streams.size && !streams.isVisible(to + 1)) to++;
    ranges.push([from, to]);
    from = to;
  }
  return ranges;
}

/** The set of a stream's parameters, once more used. Streams that are read one after another mostly have the same list. */
function parameterSetOf({ sets }: CatalogState): (parameters: readonly number[]) => number {
  let last: { readonly parameters: readonly number[]; readonly set: number } | undefined;
  return (parameters) => {
    if (last?.parameters === parameters) return sets.share(last.set);
    last = { parameters, set: sets.intern(parameters) };
    return last.set;
  };
}

/** False where there is no such topic: it is lost, or a removal was interrupted. */
function loadStream(
  state: CatalogState,
  number: number,
  entry: StreamEntry,
  setOf: (parameters: readonly number[]) => number,
): boolean {
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
  rows.parameters[number] = setOf(entry.parameters);
  if (entry.data !== undefined) {
    rows.hasData[number] = true;
    rows.dataStart[number] = entry.data[0];
    rows.dataEnd[number] = entry.data[1];
  }
  return true;
}

/** Numbers of what was removed stay taken: rows in parts may still carry them. */
function reserveNumbers(state: CatalogState, manifest: Manifest): void {
  const nextStream = Number(manifest.read('meta', 'nextStream') ?? 1);
  if (nextStream > state.streams.size) state.streams.place(nextStream - 1, 0, '');
  const nextTopic = Number(manifest.read('meta', 'nextTopic') ?? 1);
  while (state.topics.length < nextTopic) state.topics.push(undefined);
  const nextParameter = Number(manifest.read('meta', 'nextParameter') ?? 1);
  while (state.parameters.length < nextParameter) state.parameters.push(undefined);
}

/** Entries of one transaction when a large catalogue is written: a few milliseconds of the main thread. */
const chunkEntries = 2000;
/** The same in characters of texts: a document, the properties of a stream or its definitions may have many. */
const chunkChars = 512 * 1024;

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
      for (const item of dirty[key]) (state.dirty[key] as { add(item: unknown): void }).add(item);
    }
    throw error;
  }
  during('catalogue', () => markPersisted(state, dirty));
  for (const saved of lists) saved.done();
}

function markPersisted(state: CatalogState, dirty: Dirty): void {
  for (const number of dirty.topics) {
    const topic = state.topics[number];
    if (topic !== undefined) topic.persisted = true;
  }
  for (const number of dirty.parameters) {
    const parameter = state.parameters[number];
    if (parameter !== undefined) parameter.persisted = true;
  }
  for (const number of dirty.streams) if (state.streams.isVisible(number)) state.streams.setPersisted(number);
}

function* changesOf(
  state: CatalogState,
  dirty: Dirty,
  lists: readonly ListsToSave[],
): Generator<ManifestChange> {
  yield { table: 'meta', key: 'nextStream', value: state.streams.size };
  yield { table: 'meta', key: 'nextTopic', value: state.topics.length };
  yield { table: 'meta', key: 'nextParameter', value: state.parameters.length };
  for (const name of dirty.workspaces) {
    const workspace = state.workspaces.get(name);
    yield { table: 'workspaces', key: name, value: workspace && workspaceToJson(workspace) };
  }
  for (const id of dirty.tokens) yield { table: 'tokens', key: id, value: state.tokens.get(id) };
  for (const key of dirty.documents) {
    const { workspace, name } = documentOfKey(key);
    const item = state.documents.get(workspace, name);
    yield { table: 'kept', key, value: item && documentEntry(item) };
  }
  for (const number of dirty.topics) {
    const topic = state.topics[number];
    yield { table: 'topics', key: number, value: topic && topicEntry(topic) };
  }
  for (const number of dirty.parameters) {
    const parameter = state.parameters[number];
    if (parameter === undefined) continue;
    const { kind, name } = parameter;
    yield { table: 'parameters', key: number, value: { kind, name } };
  }
  for (const number of dirty.streams) {
    // Of one moment: a transaction may end after any of them, and the stream change before the next.
    const ofStream = lists.flatMap((saved) => saved.listOf(number));
    yield* [...ofStream, { table: 'streams', key: number, value: streamEntry(state, number) } as const];
  }
  for (const saved of lists) yield* saved.removals();
}

function documentEntry({ topic, body, updatedAt }: Document): DocumentEntry {
  return { ...(topic !== undefined && { topic }), body, updatedAt };
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
      data: [rows.dataStart[number]!, rows.dataEnd[number]!] as const,
    }),
    ...(ended !== undefined && { ended }),
    ...(rows.softDeleted[number] === true && { softDeleted: true as const }),
    ...(properties !== undefined && { properties }),
    ...((definitions[0] > 0 || definitions[1] > 0) && { definitions }),
  };
}

function* chunks(changes: Iterable<ManifestChange>): Generator<ManifestChange[]> {
  let chunk: ManifestChange[] = [];
  let chars = 0;
  for (const change of changes) {
    chunk.push(change);
    chars += charsOf(change);
    if (chunk.length === chunkEntries || chars >= chunkChars) {
      yield chunk;
      chunk = [];
      chars = 0;
    }
  }
  yield chunk;
}

/** The characters of a change, where it may have many. */
function charsOf({ table, value }: ManifestChange): number {
  if (table === 'streams') return charsIn((value as StreamEntry | undefined)?.properties);
  const hasTexts = table === 'kept' || table === 'parameterDefinitions' || table === 'eventDefinitions';
  return hasTexts ? charsIn(value) : 0;
}

function charsIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + charsIn(part), 0);
}
