import { Kind } from '../../../domain/parameter-data.ts';
import { noTags } from '../../../domain/tags.ts';
import type { PlacedGroup, RowGroup } from '../rows/row-group.ts';
import { windowOf, windowStart } from '../rows/windows.ts';
import { flagAscending, headBytes, rowsCount } from './rows-section.ts';
import type { SlabWords } from './slab.ts';

/**
 * Live streams are mostly written so: small sections with the same columns of numbers, a value in each row, without
 * tags, each later than the one before. The rows of such sections are copied straight from their slabs into one group;
 * a view of each would take longer than its values.
 */

/** Where a section is, and the times (ns) of its first and last rows. */
export interface PlacedSection {
  readonly words: SlabWords;
  readonly at: number;
  readonly first: bigint;
  readonly last: bigint;
}

/** Sections that follow one another in time in one window, and the wanted columns that all of them have. */
export interface PlainRun {
  readonly sections: readonly PlacedSection[];
  readonly window: number;
  /** By parameter, and where in the directory each stands. */
  readonly columns: readonly { readonly parameter: number; readonly place: number }[];
}

/**
 * The sections from `begin` on that can be gathered; undefined where it would be one at the most, which a view of it
 * serves as well.
 *
 * @param wanted numbers of parameters
 * @param isWhole whether all rows of a section are wanted
 */
export function plainRun<Section extends PlacedSection>(
  sections: readonly Section[],
  begin: number,
  wanted: ReadonlySet<number>,
  isWhole: (section: Section) => boolean,
): PlainRun | undefined {
  const head = sections[begin]!;
  if (!isWhole(head)) return undefined;
  const window = windowOf(head.first);
  const nextWindow = windowStart(window + 1);
  if (head.last >= nextWindow || !isPlain(head)) return undefined;
  const columns = wantedColumns(head, wanted);
  if (columns === undefined) return undefined;
  let next = begin + 1;
  for (; next < sections.length; next++) {
    const section = sections[next]!;
    if (!isWhole(section) || section.first <= sections[next - 1]!.last || section.last >= nextWindow) break;
    if (!isPlain(section) || !hasSameColumns(section, head)) break;
  }
  return next - begin < 2 ? undefined : { sections: sections.slice(begin, next), window, columns };
}

/** The rows of all sections of a run, copied. */
export function gatherRun(run: PlainRun): PlacedGroup {
  const rows = run.sections.reduce((sum, { words, at }) => sum + rowsCount(words, at), 0);
  const [group] = gatherInParts(run, rows, () => new Float64Array(rows));
  return { window: run.window, group: group! };
}

/**
 * The rows of a run in groups of `most`, the last one of what is left.
 *
 * @param memory of that length for the offsets, then for each of the columns: asked for once, and used for one group after another,
 *   so a group is valid until the next one is asked for
 */
export function* gatherInParts(
  { sections, window, columns }: PlainRun,
  most: number,
  memory: (place: number) => Float64Array,
): Generator<RowGroup> {
  const start = windowStart(window);
  const stream = sections[0]!.words.u32[sections[0]!.at >> 2]!;
  const offsets = memory(0);
  const values = columns.map((_, i) => memory(i + 1));
  let count = 0;
  const taken = (): RowGroup => ({
    stream,
    count,
    offsets: offsets.subarray(0, count),
    tagSets: [noTags],
    tagIndex: undefined,
    columns: columns.map(({ parameter }, i) => ({
      parameter,
      kind: Kind.Numeric,
      values: values[i]!.subarray(0, count),
      present: undefined,
    })),
  });
  for (const { words, at, first } of sections) {
    const { u32, f64 } = words;
    const rows = rowsCount(words, at);
    const shift = Number(first - start);
    const directory = directoryOf(words, at);
    for (let row = 0; row < rows; ) {
      const end = Math.min(rows, row + most - count);
      // Sections are small: a loop takes less time than a view of what is copied.
      const times = (at + headBytes) >> 3;
      for (let i = row, to = count; i < end; i++) offsets[to++] = f64[times + i]! + shift;
      for (let column = 0; column < columns.length; column++) {
        const from = (at + u32[directory + 4 * columns[column]!.place + 2]!) >> 3;
        const own = values[column]!;
        for (let i = row, to = count; i < end; i++) own[to++] = f64[from + i]!;
      }
      count += end - row;
      row = end;
      if (count < most) continue;
      yield taken();
      count = 0;
    }
  }
  if (count > 0) yield taken();
}

/** Whether rows ascend and none has tags. */
function isPlain({ words, at }: PlacedSection): boolean {
  const word = at >> 2;
  return words.u32[word + 3] === 0 && words.u32[word + 8] === flagAscending;
}

/** Undefined where the section has none of them, or where one is not of numbers or lacks values. */
function wantedColumns(
  { words, at }: PlacedSection,
  wanted: ReadonlySet<number>,
): PlainRun['columns'] | undefined {
  const directory = directoryOf(words, at);
  const count = words.u32[(at >> 2) + 2]!;
  const columns: { parameter: number; place: number }[] = [];
  for (let place = 0; place < count; place++) {
    const parameter = words.u32[directory + 4 * place]!;
    if (!wanted.has(parameter)) continue;
    if (words.u32[directory + 4 * place + 1] !== Kind.Numeric) return undefined;
    columns.push({ parameter, place });
  }
  return columns.length === 0 ? undefined : columns.sort((a, b) => a.parameter - b.parameter);
}

/** Whether two sections have the same columns at the same places, of the same kinds. */
function hasSameColumns(a: PlacedSection, b: PlacedSection): boolean {
  const count = a.words.u32[(a.at >> 2) + 2]!;
  if (count !== b.words.u32[(b.at >> 2) + 2]) return false;
  const [entriesA, entriesB] = [directoryOf(a.words, a.at), directoryOf(b.words, b.at)];
  for (let word = 0; word < 4 * count; word += 4) {
    if (a.words.u32[entriesA + word] !== b.words.u32[entriesB + word]) return false;
    if (a.words.u32[entriesA + word + 1] !== b.words.u32[entriesB + word + 1]) return false;
  }
  return true;
}

/** Where the directory of columns begins, in words of four bytes. */
function directoryOf({ u32 }: SlabWords, at: number): number {
  return (at + headBytes + 8 * u32[(at >> 2) + 1]!) >> 2;
}
