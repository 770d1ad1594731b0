import { type HeadView, sectionsOf } from './head.ts';
import { latestOf } from './head-index.ts';
import { rowsExtent, rowsParameters } from './rows-section.ts';
import type { SlabWords } from './slab.ts';

/**
 * Finds the sections of one stream that a read may want. A stream of a thousand channels, each in payloads of its own,
 * has thousands of sections in a slab, and a read of one channel wants a few. So where a stream has many, they are put into
 * lists when they are first looked for: those of few columns into one for each column, all others into one more. Each
 * section is looked at once, however many reads there are. The lists go with the slab.
 */

/** A stream with fewer sections is looked through as it is. */
const fewSections = 64;
/** A section with more columns is in the list of all others: the lists must stay small beside the slab. */
const fewColumns = 4;
/** Sections that are passed over together where none has a wanted time. */
const blockSections = 64;

/** Sections in LSN order, and the extent (ns) of each block of them. */
interface SectionList {
  readonly sections: number[];
  readonly firsts: bigint[];
  readonly lasts: bigint[];
}

interface StreamSections {
  /** The last section that is in a list. */
  latest: number;
  readonly byParameter: Map<number, SectionList>;
  readonly others: SectionList;
}

const listed = new WeakMap<SlabWords, Map<number, StreamSections>>();

const emptyList = (): SectionList => ({ sections: [], firsts: [], lasts: [] });

/**
 * The sections of a stream, in LSN order, that may have rows between two times (ns, both inclusive) and columns of
 * `wanted` parameters (by default any). There may be others among them.
 */
export function sectionsWanted(
  view: HeadView,
  stream: number,
  from: bigint,
  to: bigint,
  wanted?: ReadonlySet<number>,
): number[] {
  const ofStream = listsOf(view, stream);
  if (ofStream === undefined) return sectionsOf(view, stream);
  const { byParameter, others } = ofStream;
  const given =
    wanted === undefined ? [...byParameter.values()] : [...wanted].map((number) => byParameter.get(number));
  const lists = [others, ...given].filter(
    (list) => list !== undefined && list.sections.length > 0,
  ) as SectionList[];
  const found: number[] = [];
  for (const list of lists) addBetween(found, list, from, to, view.count);
  return lists.length < 2 ? found : [...new Set(found)].sort((a, b) => a - b);
}

/** Undefined where the stream has few sections. */
function listsOf(view: HeadView, stream: number): StreamSections | undefined {
  const { words, index } = view;
  const known = listed.get(words)?.get(stream);
  if (known !== undefined) {
    const newer: number[] = [];
    for (let at = latestOf(index, stream); at > known.latest; at = index.previous[at]!) newer.push(at);
    append(known, view, newer.reverse());
    return known;
  }
  const all = sectionsOf(view, stream);
  if (all.length < fewSections) return undefined;
  const lists: StreamSections = { latest: -1, byParameter: new Map(), others: emptyList() };
  append(lists, view, all);
  const ofSlab = listed.get(words) ?? new Map<number, StreamSections>();
  listed.set(words, ofSlab.set(stream, lists));
  return lists;
}

function append(lists: StreamSections, { words, index }: HeadView, sections: readonly number[]): void {
  for (const section of sections) {
    const at = index.sections[section]!;
    const { first, last } = rowsExtent(words, at);
    const parameters = rowsParameters(words, at);
    if (parameters.length > fewColumns) put(lists.others, section, first, last);
    else for (const parameter of parameters) put(listOf(lists, parameter), section, first, last);
    lists.latest = section;
  }
}

function listOf({ byParameter }: StreamSections, parameter: number): SectionList {
  const list = byParameter.get(parameter) ?? emptyList();
  byParameter.set(parameter, list);
  return list;
}

function put({ sections, firsts, lasts }: SectionList, section: number, first: bigint, last: bigint): void {
  const block = Math.floor(sections.length / blockSections);
  sections.push(section);
  if (block === firsts.length) {
    firsts.push(first);
    lasts.push(last);
    return;
  }
  if (first < firsts[block]!) firsts[block] = first;
  if (last > lasts[block]!) lasts[block] = last;
}

/** Adds the sections of the blocks that reach into a time, as far as a view shows `count` sections. */
function addBetween(
  found: number[],
  { sections, firsts, lasts }: SectionList,
  from: bigint,
  to: bigint,
  count: number,
): void {
  for (let block = 0; block < firsts.length; block++) {
    if (lasts[block]! < from || firsts[block]! > to) continue;
    const end = Math.min(sections.length, (block + 1) * blockSections);
    for (let i = block * blockSections; i < end && sections[i]! < count; i++) found.push(sections[i]!);
  }
}
