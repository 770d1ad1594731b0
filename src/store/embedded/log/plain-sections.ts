import { Kind } from '../../../domain/parameter-data.ts';
import { noTags } from '../../../domain/tags.ts';
import type { GroupNumbers, PlacedGroup } from '../rows/row-group.ts';
import { windowOf, windowStart } from '../rows/windows.ts';
import { flagAscending, headBytes } from './rows-section.ts';
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
export function gatherRun({ sections, window, columns }: PlainRun): PlacedGroup {
  const start = windowStart(window);
  const count = sections.reduce((sum, { words, at }) => sum + words.u32[(at >> 2) + 1]!, 0);
  const offsets = new Float64Array(count);
  const numbers = columns.map(
    ({ parameter }): GroupNumbers => ({
      parameter,
      kind: Kind.Numeric,
      values: new Float64Array(count),
      present: undefined,
    }),
  );
  let to = 0;
  for (const { words, at, first } of sections) {
    const { u32, f64 } = words;
    const rows = u32[(at >> 2) + 1]!;
    const shift = Number(first - start);
    for (let row = 0, from = (at + headBytes) >> 3; row < rows; row++)
      offsets[to + row] = f64[from + row]! + shift;
    const directory = directoryOf(words, at);
    for (let i = 0; i < columns.length; i++) {
      const { values } = numbers[i]!;
      const from = (at + u32[directory + 4 * columns[i]!.place + 2]!) >> 3;
      for (let row = 0; row < rows; row++) values[to + row] = f64[from + row]!;
    }
    to += rows;
  }
  const stream = sections[0]!.words.u32[sections[0]!.at >> 2]!;
  const group = { stream, count, offsets, tagSets: [noTags], tagIndex: undefined, columns: numbers };
  return { window, group };
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
