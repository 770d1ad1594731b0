import type { ResultBlock, TagColumn } from '../domain/result.ts';
import { tagValue } from '../domain/tags.ts';
import type { RowBlock } from '../store/store.ts';

/** A block of raw rows as rows of an answer, sharing its arrays; the pseudo-tags are `streamId` and `topic`. */
export function resultBlock(block: RowBlock, groupBy: readonly string[]): ResultBlock {
  const { count, base, offsets, columns } = block;
  return { count, base, offsets, columns, tags: groupBy.map((tag) => tagColumn(block, tag)) };
}

function tagColumn({ streams, streamIndex, tagSets, tagIndex }: RowBlock, tag: string): TagColumn {
  if (tag === 'streamId') return { index: streamIndex, texts: streams.map(({ streamId }) => streamId) };
  if (tag === 'topic') return { index: streamIndex, texts: streams.map(({ topic }) => topic) };
  return { index: tagIndex, texts: tagSets.map((set) => tagValue(set, tag)) };
}
