import { isPresent } from '../../../domain/parameter-data.ts';
import { startsAbsentByte } from '../../../domain/presence.ts';
import { noTags } from '../../../domain/tags.ts';
import {
  isUntaggedAndFull,
  rowsColumns,
  rowsExtent,
  rowsOffsets,
  rowsParameters,
  viewRows,
} from '../log/rows-section.ts';
import type { SlabWords } from '../log/slab.ts';
import { clockSets } from '../rows/clock-sets.ts';
import { type ClockSketch, clockSketch, hashRows, identityHash, textHash } from '../rows/clock-sketch.ts';
import {
  type ColumnClass,
  type ColumnFamily,
  joinClasses,
  splitIntoClasses,
} from '../rows/column-families.ts';
import { windowSpan, windowStart } from '../rows/windows.ts';

/** Sections of one stream and window in a slab. */
export interface ClockedSections {
  readonly slab: SlabWords;
  /** Positions of sections, in order of LSN. */
  readonly sections: readonly number[];
  readonly window: number;
}

/** The columns of sections by their clocks: those of a family stand in the same row groups. */
export function familiesOf(from: ClockedSections): readonly ColumnFamily[] {
  const classes = splitIntoClasses(setsOf(from));
  return classes.length < 2 ? classes : joinClasses(clocksOf(from, classes));
}

/** For each family the sections that have columns of it. */
export function sectionsByFamily(
  { slab, sections }: ClockedSections,
  families: readonly ColumnFamily[],
): [ColumnFamily, number[]][] {
  const found = families.map((family): [ColumnFamily, number[]] => [family, []]);
  const familyOf = new Map(
    found.flatMap(([family, own]) => family.map((parameter): [number, number[]] => [parameter, own])),
  );
  for (const at of sections) {
    for (const parameter of rowsParameters(slab, at)) {
      const own = familyOf.get(parameter);
      if (own !== undefined && own.at(-1) !== at) own.push(at);
    }
  }
  return found;
}

function* setsOf({ slab, sections }: ClockedSections): Generator<readonly number[]> {
  for (const at of sections) {
    if (isUntaggedAndFull(slab, at)) yield rowsParameters(slab, at).sort((a, b) => a - b);
    else yield* clockSets(rowsColumns(slab, at), rowsExtent(slab, at).count);
  }
}

/** When the columns of a class have values, as far as their sections were looked at. */
interface Clock {
  readonly parameters: readonly number[];
  readonly sketch: ClockSketch;
  readonly steps: ReturnType<typeof regularSteps>;
  /** The section that was taken last: columns of one class have values in mostly the same rows, so one of them is enough. */
  section: number;
}

/** The clocks of classes: sketches of the identities of their rows. */
function clocksOf({ slab, sections, window }: ClockedSections, classes: readonly number[][]): ColumnClass[] {
  const clocks = classes.map(
    (parameters): Clock => ({ parameters, sketch: clockSketch(), steps: regularSteps(), section: -1 }),
  );
  const clockOf = new Map(clocks.flatMap((clock) => clock.parameters.map((parameter) => [parameter, clock])));
  /** The clock of a parameter, unless this section is taken already. */
  const clockFor = (parameter: number, section: number): Clock | undefined => {
    const clock = clockOf.get(parameter);
    if (clock === undefined || clock.section === section) return undefined;
    clock.section = section;
    return clock;
  };
  let hashes = new Int32Array(0);
  for (const at of sections) {
    const { first, last, count } = rowsExtent(slab, at);
    const shift = Number(first - windowStart(window));
    const isInside = shift >= 0 && shift + Number(last - first) < windowSpan;
    const offsets = rowsOffsets(slab, at);
    if (hashes.length < count) hashes = new Int32Array(2 * count);
    const takeAll = ({ sketch, steps }: Clock): void => {
      sketch.addAll(hashes, count);
      steps.addAll(offsets, count, shift);
    };
    if (isInside && isUntaggedAndFull(slab, at)) {
      hashRows(offsets, count, shift, 0, hashes);
      for (const parameter of rowsParameters(slab, at)) {
        const clock = clockFor(parameter, at);
        if (clock !== undefined) takeAll(clock);
      }
      continue;
    }
    const { tagSets, tagIndex, columns } = viewRows(slab, at);
    const tags = tagSets.map((set) => (set === noTags ? 0 : textHash(set.key)));
    if (tagIndex === undefined) hashRows(offsets, count, shift, tags[0]!, hashes);
    else {
      for (let row = 0; row < count; row++) {
        hashes[row] = identityHash(offsets[row]! + shift, tags[tagIndex[row]!]!);
      }
    }
    for (const { parameter, present } of columns) {
      const clock = clockFor(parameter, at);
      if (clock === undefined) continue;
      if (isInside && present === undefined) {
        takeAll(clock);
        continue;
      }
      for (let row = 0; row < count; row++) {
        const offset = offsets[row]! + shift;
        if (startsAbsentByte(present, row)) row += 7;
        else if (isPresent(present, row) && offset >= 0 && offset < windowSpan) {
          clock.sketch.add(hashes[row]!);
          clock.steps.add(offset);
        }
      }
    }
  }
  return clocks.map(({ parameters, sketch, steps }) => ({
    parameters,
    clock: sketch,
    isRegular: steps.isRegular(),
  }));
}

/** Tells whether offsets are at equal steps. */
function regularSteps() {
  // NaN before the first one. In local variables while many are added: doubles that live in a closure are objects.
  let before = Number.NaN;
  let step = Number.NaN;
  let isRegular = true;

  /** The first `count` of some offsets, each with `shift` added. */
  function addAll(offsets: ArrayLike<number>, count: number, shift: number): void {
    if (!isRegular || count === 0) return;
    let last = Number.isNaN(before) ? offsets[0]! + shift : before;
    let wanted = step;
    for (let row = Number.isNaN(before) ? 1 : 0; row < count; row++) {
      const distance = offsets[row]! + shift - last;
      if (distance !== wanted) {
        if (!Number.isNaN(wanted)) {
          isRegular = false;
          return;
        }
        wanted = distance;
      }
      last += distance;
    }
    before = last;
    step = wanted;
  }

  return {
    add: (offset: number) => addAll([offset], 1, 0),
    addAll,
    isRegular: () => isRegular,
  };
}
