import type { PlacedStream } from '../../../domain/listing.ts';
import type { Paging, StreamFilter } from '../../../domain/query.ts';
import { buildTree, type Tree } from '../../../query/groups/stream-tree.ts';
import { print, type Sql } from '../server/sql.ts';
import type { Asking } from './catalog-settings.ts';
import { type StreamName, streamsByName } from './find-streams.ts';
import {
  type StreamQuestion,
  type StreamRow,
  selectFamilies,
  selectStreams,
  streamOf,
} from './select-streams.ts';

interface Member extends StreamName {
  readonly parents: readonly string[];
}

/**
 * `/streams/models`: the streams that a filter selects, as a tree by their parents. ClickHouse filters and orders them;
 * the tree is made here, of names alone where only a page of it is wanted.
 */
export async function streamModels(
  clickhouse: Asking,
  question: StreamQuestion,
  filter: StreamFilter,
): Promise<PlacedStream[]> {
  const rows = <Row extends readonly unknown[]>(statement: Sql) => clickhouse.rows<Row>(print(statement));
  if (filter.paging === undefined) {
    const found = await rows<StreamRow>(selectStreams(question, filter));
    const members = found.map((row) => ({ topic: row[0], stream: row[1], parents: row[9] }));
    const placed = [...placesOf(treeOf(members), undefined)];
    return placed.map(({ index, depth }) => ({ stream: streamOf(found[index]!), depth }));
  }
  const families = await rows<[topic: string, stream: string, parents: string[]]>(
    selectFamilies(question, filter),
  );
  const members = families.map(([topic, stream, parents]) => ({ topic, stream, parents }));
  const placed = [...placesOf(treeOf(members), filter.paging)];
  const names = placed.map(({ index }) => members[index]!);
  const streams = await streamsByName(clickhouse, question, names);
  return placed.flatMap(({ depth }, i) => {
    const stream = streams[i];
    // It may have been removed since the tree was made.
    return stream === undefined ? [] : [{ stream, depth }];
  });
}

function* placesOf({ roots, below }: Tree, paging: Paging | undefined) {
  const { index, length } = paging ?? { index: 0, length: roots.length };
  for (const root of roots.slice(index * length, (index + 1) * length)) yield* below(root);
}

function treeOf(members: readonly Member[]): Tree {
  return buildTree(members.length, parentsAmong(members));
}

/** Where the parents of a stream stand among `members`: of one id those of the same topic first. */
function parentsAmong(members: readonly Member[]): (index: number) => Generator<number> {
  const places = new Map<string, number[]>();
  for (const { parents } of members) {
    for (const parent of parents) if (!places.has(parent)) places.set(parent, []);
  }
  for (const [index, { stream }] of members.entries()) places.get(stream)?.push(index);
  return function* (index) {
    const { topic, parents } = members[index]!;
    const isNear = (other: number) => members[other]!.topic === topic;
    for (const parent of parents) {
      const found = places.get(parent)!;
      yield* found.filter(isNear);
      yield* found.filter((other) => !isNear(other));
    }
  };
}
