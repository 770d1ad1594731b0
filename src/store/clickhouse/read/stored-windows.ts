import type { ParameterKey } from '../../../domain/parameter-data.ts';
import { tagSetOfKey } from '../../../domain/tags.ts';
import type { TagPredicate } from '../../../query/plan/tag-predicate.ts';
import type { Strings } from './byte-reader.ts';
import { listsOf, type NativeAnswerBlock, valuesOf } from './native-answer.ts';
import type { ScratchMemory } from './scratch-memory.ts';
import { endOfWindow, windowOf } from './slice.ts';
import { type Alike, asksTexts, type SliceDraft } from './slice-builder.ts';

/** What of the rows of `windows` belongs to a slice. */
export interface WantedTimes {
  /** The first time (ns) that is wanted of a folded topic. */
  fromOf(topic: string): bigint;
  readonly to: bigint;
  /** Undefined: every tag set. */
  readonly tags: TagPredicate | undefined;
}

/** Takes blocks of rows as `selectWindows` reads them: as they stand in the table, piece after piece. */
export function windowAdder(
  draft: SliceDraft,
  parameters: readonly ParameterKey[],
  alike: Alike,
  wanted: WantedTimes,
  memory: ScratchMemory,
): (block: NativeAnswerBlock) => void {
  const hasTexts = asksTexts(parameters);
  const { pieces } = draft;
  /** By the text of a tag set its number in the slice; -1 where it is not wanted. */
  const setOf = new Map<string, number>();

  function numberOf(text: string): number {
    const known = setOf.get(text);
    if (known !== undefined) return known;
    const set = tagSetOfKey(text);
    const number = wanted.tags === undefined || wanted.tags(set) ? draft.tagSets.of(text, () => set) : -1;
    setOf.set(text, number);
    return number;
  }

  return (block) => {
    let place = 0;
    const { ends, elements: times } = listsOf(block, place++, 'integers');
    const { elements: numbers } = listsOf(block, place++, 'doubles');
    const { ends: pieceEnds, elements: tags } = listsOf(block, place++, 'strings');
    const firsts = listsOf(block, place++, 'integers').elements;
    const lasts = listsOf(block, place++, 'integers').elements;
    const versions = listsOf(block, place++, 'integers').elements;
    const counts = listsOf(block, place++, 'counts').elements;
    const levels = valuesOf(block, place++, 'bytes');
    const names = valuesOf(block, place++, 'keys');
    const topics = alike.topic === undefined ? valuesOf(block, place++, 'keys') : undefined;
    const ids = alike.streamId === undefined ? valuesOf(block, place++, 'keys') : undefined;
    const kinds = alike.kind === undefined ? valuesOf(block, place++, 'bytes') : undefined;
    const texts = hasTexts ? listsOf(block, place, 'strings').elements : undefined;
    const keys = Buffer.from(tags.bytes.buffer, tags.bytes.byteOffset, tags.bytes.length);
    const words = new Int32Array(times.buffer, times.byteOffset, 2 * times.length);
    const indexes = memory.take(4 * times.length);
    const tagIndex = new Uint32Array(indexes.buffer, indexes.byteOffset, times.length);
    const number = draft.blocks.length;

    // Most rows have the series of the row before, and most pieces its tags.
    const ofSeries = [names.index, topics?.index, ids?.index, kinds].filter((keys) => keys !== undefined);
    let [stream, parameter, from, set] = [-1, -1, 0n, -1];
    let piece = 0;
    for (let row = 0; row < block.rows; row++) {
      if (row === 0 || ofSeries.some((keys) => keys[row] !== keys[row - 1])) {
        const topic = alike.topic ?? topics!.texts[topics!.index[row]!]!;
        stream = draft.streamOf(topic, alike.streamId ?? ids!.texts[ids!.index[row]!]!);
        parameter = draft.parameterOf(alike.kind ?? kinds![row]!, names.texts[names.index[row]!]!);
        from = wanted.fromOf(topic);
      }
      let end = row === 0 ? 0 : ends[row - 1]!;
      for (; piece < pieceEnds[row]!; piece++) {
        const begin = end;
        end += counts[piece]!;
        if (piece === 0 || !isRepeated(tags, piece))
          set = numberOf(keys.toString('utf8', piece === 0 ? 0 : tags.ends[piece - 1]!, tags.ends[piece]!));
        if (set < 0) continue;
        const [first, last] = [firsts[piece]!, lasts[piece]!];
        const version = BigInt.asUintN(64, versions[piece]!);
        if (begin === end) {
          draft.deletes.push({ stream, parameter, level: levels[row]!, tags: set, first, last, version });
          continue;
        }
        let at = first >= from ? begin : firstNotBefore(times, begin, end, from);
        const stop = last <= wanted.to ? end : firstNotBefore(times, at, end, wanted.to + 1n);
        tagIndex.fill(set, at, stop);
        draft.count(stop - at, 0);
        while (at < stop) {
          const cut = endOfWindow(words, at, stop);
          pieces.windows.push(windowOf(words, at));
          pieces.streams.push(stream);
          pieces.parameters.push(parameter);
          pieces.blocks.push(number);
          pieces.starts.push(at);
          pieces.ends.push(cut);
          pieces.versions.push(version);
          pieces.levels.push(levels[row]!);
          at = cut;
        }
      }
    }
    draft.count(0, texts?.bytes.length ?? 0);
    const tagSets = Int32Array.from({ length: draft.tagSets.all.length }, (_, set) => set);
    draft.blocks.push({ times: words, tagIndex, tagSets, numbers, texts });
  };
}

/** Whether a text is the one before it. */
function isRepeated({ bytes, ends }: Strings, place: number): boolean {
  const begin = ends[place - 1]!;
  const before = place === 1 ? 0 : ends[place - 2]!;
  const length = ends[place]! - begin;
  if (begin - before !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[before + i] !== bytes[begin + i]) return false;
  return true;
}

/** The first of the values [start, end), whose times rise, that is not before a time. */
function firstNotBefore(times: BigInt64Array, start: number, end: number, time: bigint): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
