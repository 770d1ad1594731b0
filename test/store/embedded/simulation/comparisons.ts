import assert from 'node:assert/strict';
import type { Document } from '../../../../src/domain/document.ts';
import { Kind, type ParameterKey } from '../../../../src/domain/parameter-data.ts';
import { compareTagSets, compareText, tagSetOfKey, tagValue } from '../../../../src/domain/tags.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import { answerHere } from '../../../../src/store/answers/answer-here.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import { type Answer, answerOf, type DataRequest, type ReferenceRow } from '../../../query/reference.ts';
import type { Cell as ExpectedCell } from '../../../query/reference-aggregates.ts';
import { cellsOfRows, type ReadRow, readApart, readRows } from '../read-rows.ts';
import { bytesOf, termsOf } from '../threads/ask.ts';
import { type AnsweredRow, answerRequest, askAll } from './ask-store.ts';
import {
  type PlainRow,
  type PlainStore,
  type PlainStream,
  parameterOf,
  type StreamSelection,
  statusOf,
} from './plain-store.ts';

// Each of these throws where the store says other things than the plain one does. They give how many rows were compared.

/** What is compared: a store, and the plain one beside it. */
export interface Pair {
  readonly store: Pick<EmbeddedStore, 'run' | 'aggregate' | 'tagValues' | 'tagNames' | 'catalog'>;
  readonly plain: PlainStore;
  /** The time (ms) as of which statuses are. */
  readonly now: number;
}

/** The rows of a stream that are sure to be seen. */
function* seenRows(plain: PlainStore, workspace: string, stream: PlainStream): Generator<PlainRow> {
  const floor = plain.topic(workspace, stream.topic)!.floor;
  for (const row of stream.rows.values()) if (row.timestamp >= floor) yield row;
}

/** From this time on all selected rows are sure to be there or not; undefined: that is so of all. */
export function certainFrom(
  plain: PlainStore,
  workspace: string,
  which: StreamSelection,
): bigint | undefined {
  let from: bigint | undefined;
  for (const { name, floor } of plain.workspaces.get(workspace)?.topics.values() ?? []) {
    if (which.topic !== undefined && which.topic.toLowerCase() !== name.toLowerCase()) continue;
    const isCertain = floor <= (plain.retainedFrom(workspace, name) ?? minTimestamp);
    if (!isCertain && (from === undefined || floor > from)) from = floor;
  }
  return from;
}

/** Rows or aggregates, by a reading of the contract that shares nothing with the store. */
export function expectedAnswer(plain: PlainStore, workspace: string, request: DataRequest): Answer {
  const rows: ReferenceRow[] = [];
  for (const stream of plain.streams(workspace)) {
    if (stream.softDeleted) continue;
    const { topic, streamId } = stream;
    for (const { timestamp, tags, cells } of seenRows(plain, workspace, stream)) {
      const values = new Map<string, number | string>();
      for (const [key, cell] of cells) {
        const { kind, name } = parameterOf(key);
        if (cell === null || kind === Kind.Event) continue;
        const word = (['numeric', 'string', 'binary'] as const)[kind];
        values.set(
          `${word}:${name}`,
          cell instanceof Uint8Array ? Buffer.from(cell).toString('base64') : cell,
        );
      }
      rows.push({ topic, streamId, timestamp, tags: new Map(tagSetOfKey(tags).pairs), values });
    }
  }
  return answerOf(rows, request);
}

/** The request without what a time that has passed leaves open. */
export function certainRequest(
  plain: PlainStore,
  workspace: string,
  request: DataRequest,
): DataRequest | undefined {
  const from = certainFrom(plain, workspace, request);
  if (from === undefined || (request.from !== undefined && request.from >= from)) return request;
  return request.to !== undefined && request.to < from ? undefined : { ...request, from };
}

export async function compareQuestion(pair: Pair, workspace: string, asked: DataRequest): Promise<number> {
  const request = certainRequest(pair.plain, workspace, asked);
  if (request === undefined) return 0;
  const answer = expectedAnswer(pair.plain, workspace, request);
  const found = await askAll(pair.store, workspace, request);
  return compareRows(found, answer, request, `${workspace}: ${textOf(request)}`);
}

export function compareRows(
  found: readonly AnsweredRow[],
  answer: Answer,
  { limit }: DataRequest,
  what: string,
): number {
  const expected = answer.rows.slice(0, limit);
  const place = (row: { timestamp: bigint; tags: readonly (string | undefined)[] } | undefined) =>
    row === undefined ? 'nothing' : `${row.timestamp} ${JSON.stringify(row.tags)}`;
  for (let row = 0; row < Math.max(expected.length, found.length); row++) {
    assert.equal(place(found[row]), place(expected[row]), `row ${row} of ${expected.length} of ${what}`);
    expected[row]!.cells.forEach((cell, column) => {
      const value = found[row]!.cells[column] ?? null;
      if (!isClose(value, cell))
        assert.fail(
          `row ${row} (${place(expected[row])}): ${answer.columns[column]!.name} is ${value}, not ${cell.value}: ${what}`,
        );
    });
  }
  return expected.length;
}

function isClose(found: number | string | null, { value, slack }: ExpectedCell): boolean {
  if (Object.is(found, value)) return true;
  if (typeof found !== 'number' || typeof value !== 'number' || slack === undefined) return false;
  return found === value || Math.abs(found - value) <= slack;
}

/** What a thread answers is what this one does, byte for byte. Sums may differ in their last digits. */
export async function compareAnswers(
  store: EmbeddedStore,
  workspace: string,
  asked: DataRequest,
): Promise<number> {
  const request = answerRequest(workspace, asked);
  const [there, here] = await Promise.all([
    store.answer(request, termsOf()),
    answerHere(store, request, termsOf()),
  ]);
  const what = `${workspace}: ${textOf(asked)}`;
  assert.equal(there.nextCursor, here.nextCursor, what);
  const [found, expected] = [await bytesOf(there), await bytesOf(here)];
  if (!found.equals(expected))
    assert.deepEqual(rounded(found), rounded(expected), `a thread's answer: ${what}`);
  return 1;
}

function rounded(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString(), (_key, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(10)) : value,
  );
}

/** Every row of a workspace with all of its values, events too. */
export async function compareAllRows(pair: Pair, workspace: string): Promise<number> {
  let rows = await compareRowsOf(pair, workspace, undefined);
  // A topic may be certain from an earlier time on than all of them together.
  for (const topic of pair.plain.workspaces.get(workspace)?.topics.keys() ?? [])
    rows += await compareRowsOf(pair, workspace, topic);
  return rows;
}

async function compareRowsOf(
  { store, plain }: Pair,
  workspace: string,
  topic: string | undefined,
): Promise<number> {
  const from = certainFrom(plain, workspace, topic === undefined ? {} : { topic }) ?? minTimestamp;
  const streams = plain
    .streams(workspace)
    .filter((stream) => topic === undefined || stream.topic.toLowerCase() === topic.toLowerCase())
    .filter(({ softDeleted }) => !softDeleted);
  const keys = new Set<string>();
  for (const stream of streams)
    for (const row of stream.rows.values()) for (const key of row.cells.keys()) keys.add(key);
  const names = [...keys].sort();
  const parameters: ParameterKey[] = names.map(parameterOf);
  if (parameters.length === 0) parameters.push({ kind: Kind.Numeric, name: 'speed' });
  const expected = streams
    .flatMap((stream) =>
      [...seenRows(plain, workspace, stream)].map(({ timestamp, tags, cells }) => ({
        timestamp,
        topic: stream.topic,
        streamId: stream.streamId,
        tags,
        cells: names.map((name) => cells.get(name) ?? null),
      })),
    )
    .filter(({ timestamp }) => timestamp >= from)
    .sort(
      (a, b) =>
        Number(a.timestamp > b.timestamp) - Number(a.timestamp < b.timestamp) ||
        compareText(a.streamId, b.streamId) ||
        compareText(a.topic, b.topic) ||
        compareTagSets(tagSetOfKey(a.tags), tagSetOfKey(b.tags)),
    );
  const plan = {
    workspace,
    streamIds: undefined,
    topic,
    from,
    to: maxTimestamp,
    tagFilters: [],
    parameters,
    order: 'Asc',
    limit: undefined,
    after: undefined,
  } as const;
  const found = await readRows(store, plan);
  assert.deepStrictEqual(
    await readApart(store, plan),
    cellsOfRows(found),
    `stream by stream, of ${workspace}`,
  );
  const nameOf = (row: ReadRow | undefined) =>
    row === undefined ? 'nothing' : `${row.timestamp} ${row.topic} ${row.streamId} ${row.tags}`;
  for (let row = 0; row < Math.max(expected.length, found.length); row++) {
    const [is, should] = [found[row], expected[row]];
    const what = `row ${row} of all ${expected.length} of ${workspace}`;
    assert.equal(nameOf(is), nameOf(should), what);
    for (const [i, cell] of should!.cells.entries())
      if (
        !Object.is(is!.cells[i], cell) &&
        (cell === null || typeof cell === 'number' || !sameText(is!.cells[i], cell))
      )
        assert.fail(
          `${what}: ${nameOf(should)}: ${names[i]} is ${String(is!.cells[i])}, not ${String(cell)}`,
        );
  }
  return expected.length;
}

/** Values of events come as bytes, as those of binaries do. */
function sameText(found: unknown, cell: string | Uint8Array): boolean {
  if (typeof found === 'string') return found === cell;
  return found instanceof Uint8Array && Buffer.from(found).equals(Buffer.from(cell as string));
}

/** Streams, topics and parameters. */
export async function compareListings({ store, plain, now }: Pair, workspace: string): Promise<number> {
  const includeStatuses = ['Open', 'Closed', 'Aborted', 'SoftDeleted'] as const;
  const ordering = [
    { by: 'topic', direction: 'Asc' },
    { by: 'streamId', direction: 'Asc' },
  ] as const;
  const streams = plain.streams(workspace);
  const boundsOf = (topic: string) => !plain.topic(workspace, topic)!.everExpired;
  const found = (await store.catalog.streams(workspace, { ordering, includeStatuses }, now)).map(
    ({ dataStart, dataEnd, ...stream }) => ({
      ...stream,
      ...(boundsOf(stream.topic) && { dataStart, dataEnd }),
    }),
  );
  const expected = streams.map((stream) => ({
    ...listed(stream),
    ...(boundsOf(stream.topic) && extentOf(stream)),
  }));
  assert.deepStrictEqual(found, expected, `streams of ${workspace}`);
  for (const topic of plain.workspaces.get(workspace)?.topics.values() ?? []) {
    if (topic.everExpired) continue;
    const listing = await store.catalog.parameters(workspace, { topic: topic.name });
    assert.deepStrictEqual(
      listing.map(({ id, type }) => `${id} ${type}`),
      parametersOf(streams.filter((stream) => stream.topic === topic.name && !stream.softDeleted)),
      `parameters of ${workspace}, ${topic.name}`,
    );
  }
  for (const { topic, streamId, definitions } of streams)
    assert.deepStrictEqual(
      store.catalog.describe(workspace, topic, streamId, now)?.parameterDefinitions,
      [...definitions.values()].sort((a, b) => compareText(a.id, b.id)),
      `definitions of ${workspace}, ${topic}, ${streamId}`,
    );
  const byName = (items: readonly Pick<Document, 'topic' | 'id'>[]) =>
    [...items].sort((a, b) => compareText(`${a.topic} ${a.id}`, `${b.topic} ${b.id}`));
  assert.deepStrictEqual(
    byName(store.catalog.documents(workspace, 'view')),
    byName(
      [...(plain.workspaces.get(workspace)?.kept.values() ?? [])].map((item) => ({ kind: 'view', ...item })),
    ),
    `documents of ${workspace}`,
  );
  const topics = (await store.catalog.topics(workspace)).map(
    ({ name, streams: count }) => `${name} ${count}`,
  );
  const shown = [...(plain.workspaces.get(workspace)?.topics.values() ?? [])].map(
    ({ name, streams: all }) =>
      `${name} ${[...all.values()].filter(({ softDeleted }) => !softDeleted).length}`,
  );
  assert.deepStrictEqual(topics, shown.sort(compareText), `topics of ${workspace}`);
  return expected.length;
}

function listed(stream: PlainStream) {
  const { streamId, topic, createdAt, lastUpdate, properties } = stream;
  return {
    streamId,
    name: properties.name ?? streamId,
    topic,
    createdAt,
    lastUpdate,
    timeOfRecording: undefined,
    status: statusOf(stream),
    metadata: properties.metadata ?? {},
    parents: properties.parents ?? [],
    location: properties.location ?? '/',
  };
}

function extentOf({ rows }: PlainStream) {
  let dataStart: bigint | undefined;
  let dataEnd: bigint | undefined;
  for (const { timestamp } of rows.values()) {
    if (dataStart === undefined || timestamp < dataStart) dataStart = timestamp;
    if (dataEnd === undefined || timestamp > dataEnd) dataEnd = timestamp;
  }
  return { dataStart, dataEnd };
}

/** What `/parameters` lists, without what is said of each; a definition may be listed in several forms. */
function parametersOf(streams: readonly PlainStream[]): string[] {
  const entries = new Map<string, string>();
  for (const { rows, definitions } of streams) {
    const unwritten = new Map(definitions);
    for (const key of new Set([...rows.values()].flatMap(({ cells }) => [...cells.keys()]))) {
      const { kind, name } = parameterOf(key);
      if (kind === Kind.Event) continue;
      unwritten.delete(name);
      const type = (['Numeric', 'String', 'Binary'] as const)[kind];
      const definition = definitions.get(name) ?? { id: name };
      entries.set(JSON.stringify([name, kind, definition.name ?? '', definition]), `${name} ${type}`);
    }
    for (const definition of unwritten.values())
      entries.set(
        JSON.stringify([definition.id, 9, definition.name ?? '', definition]),
        `${definition.id} Unknown`,
      );
  }
  const rank = ['Numeric', 'String', 'Binary', 'Unknown'];
  return [...entries.values()].sort((a, b) => {
    const [left, right] = [a.split(' '), b.split(' ')];
    return compareText(left[0]!, right[0]!) || rank.indexOf(left[1]!) - rank.indexOf(right[1]!);
  });
}

export async function compareTagValues(
  { store, plain }: Pair,
  workspace: string,
  tag: string,
): Promise<number> {
  const from = certainFrom(plain, workspace, {}) ?? minTimestamp;
  const { signal } = new AbortController();
  const selection = {
    workspace,
    streamIds: undefined,
    topic: undefined,
    from,
    to: maxTimestamp,
    tagFilters: [],
  };
  const expected = new Set<string>();
  for (const stream of plain.streams(workspace)) {
    if (stream.softDeleted) continue;
    for (const { timestamp, tags } of seenRows(plain, workspace, stream)) {
      const value = tagValue(tagSetOfKey(tags), tag);
      if (timestamp >= from && value !== undefined) expected.add(value);
    }
  }
  assert.deepStrictEqual(
    await store.tagValues(selection, tag, signal),
    [...expected].sort(compareText),
    `values of the tag ${tag} of ${workspace}`,
  );
  // What was deleted may still be counted.
  const named = (await store.tagNames(selection, signal)).find(({ name }) => name === tag);
  assert.ok(
    (named?.values ?? 0) >= expected.size,
    `the tag ${tag} of ${workspace} has ${named?.values} values, not ${expected.size}`,
  );
  return expected.size;
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
}
