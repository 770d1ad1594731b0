import type { ResultBlock, TagColumn } from '../../domain/result.ts';
import { tagValue } from '../../domain/tags.ts';
import type { RowBlock } from '../row-block.ts';

/** The texts that a tag has on the entries of a dictionary; made once for all blocks that share the dictionary. */
type TextsOf = (block: RowBlock) => TagColumn;

/**
 * Makes blocks of raw rows into rows of an answer, sharing their arrays. The pseudo-tags are `streamId` and `topic`.
 * For the blocks of one read, one after the other.
 */
export function createResultRows(groupBy: readonly string[]): (block: RowBlock) => ResultBlock {
  const tags = groupBy.map(tagColumns);
  return (block) => {
    const { count, base, offsets, columns } = block;
    return { count, base, offsets, columns, tags: tags.map((column) => column(block)) };
  };
}

function tagColumns(tag: string): TextsOf {
  if (tag === 'streamId' || tag === 'topic') {
    const texts = rememberLast((streams: RowBlock['streams']) => streams.map((stream) => stream[tag]));
    return ({ streams, streamIndex }) => ({ texts: texts(streams), index: streamIndex });
  }
  const texts = rememberLast((tagSets: RowBlock['tagSets']) => tagSets.map((set) => tagValue(set, tag)));
  return ({ tagSets, tagIndex }) => ({ texts: texts(tagSets), index: tagIndex });
}

function rememberLast<Given extends object, Made>(make: (given: Given) => Made): (given: Given) => Made {
  let last: { readonly given: Given; readonly made: Made } | undefined;
  return (given) => {
    if (last?.given !== given) last = { given, made: make(given) };
    return last.made;
  };
}
