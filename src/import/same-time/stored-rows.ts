import { type FirstMet, type Meetings, MetRows, type SameTime } from './met-rows.ts';
import { type CellForm, hasValue, type MetCell } from './met-values.ts';
import { type PlaceRow, type Restarts, runPlacer } from './place-runs.ts';
import { type FindGroup, identityBeyond, rowGroups } from './row-groups.ts';
import { MemoryLeft } from './row-memory.ts';
import type { GroupTimes, SeenTimes } from './watch-times.ts';

/** What is to become of rows that meet earlier ones; undefined where nobody has said it. */
export interface SameTimeChoices {
  readonly sameTime?: SameTime | undefined;
  readonly restarts?: Restarts | undefined;
}

/** How the rows of a file are compared, table by table; tables that share a channel have it at the same place in `names`. */
export interface RowForm {
  readonly form: CellForm;
  /** Of the channels, aligned with those of the form. */
  readonly names: readonly string[];
}

/** What came of the rows of a file. */
export interface StoredRows extends Meetings {
  readonly read: number;
  /** Rows that stand in the service by now, if nothing else was there. */
  readonly stored: number;
  /** Rows without a value, which are not stored. */
  readonly empty: number;
}

/** Where a row is stored: its time, and the run that it is of, from 0, where runs are streams of their own. */
export interface StoredRow {
  readonly time: bigint;
  readonly run: number;
}

/** Says of each row, in the order of the file, where it is stored, and counts what becomes of them. */
export class RowStore {
  private read = 0;
  private empty = 0;
  private readonly seen: SeenTimes;
  private readonly placeRow: PlaceRow;
  private readonly findGroup: FindGroup[];
  private readonly met: MetRows[];
  private readonly forms: readonly RowForm[];
  private readonly timesOf: (table: number, group: number) => GroupTimes;
  private readonly row = { time: 0n, run: 0 };
  private readonly at = { place: 0, table: 0, group: 0, run: 0 };

  constructor(
    seen: SeenTimes,
    forms: readonly RowForm[],
    { restarts, sameTime = 'replace' }: SameTimeChoices,
  ) {
    const { apart, tables = [0] } = seen.options;
    const left = new MemoryLeft();
    this.seen = seen;
    this.forms = forms;
    this.placeRow = runPlacer(seen, restarts);
    this.findGroup = tables.map(() => rowGroups(apart));
    this.met = forms.map(({ form, names }) => new MetRows(form, names, sameTime, left));
    const isApart = seen.restarts.length > 0 && restarts !== undefined && restarts !== 'replace';
    this.timesOf = isApart ? timesOfRuns(seen) : (table, group) => seen.groups[table]![group]!;
  }

  /** Whether a row may meet another, or move: of others `count` is enough. */
  canMeet(): boolean {
    const { restarts, groups } = this.seen;
    return (
      restarts.length > 0 || groups.some((some) => some.some(({ hasTies, back }) => hasTies || back > 0n))
    );
  }

  /** Counts a row that can meet no other. Whether it has a value: others are not stored. */
  count(values: readonly MetCell[], table = 0): boolean {
    return this.take(values, this.forms[this.seen.options.tables?.[table] ?? 0]!.form);
  }

  /**
   * Where a row is stored, until the next one is asked for; undefined for one without a value. Throws TooManyRows.
   * @param place of the row in the file: its line, or its number in its table
   * @param cells as they were watched: those that tell rows apart are looked at
   * @param values as the form says
   */
  place(
    time: bigint,
    place: number,
    cells: readonly unknown[],
    values: readonly MetCell[],
    table = 0,
  ): StoredRow | undefined {
    const { at, row } = this;
    const { tables = [0], apart } = this.seen.options;
    const of = tables[table]!;
    const { shift, run } = this.placeRow(cells, table);
    const group = this.findGroup[of]!(cells);
    if (!this.take(values, this.forms[of]!.form)) return undefined;
    at.place = place;
    at.table = table;
    at.group = group;
    at.run = run;
    row.run = run;
    const times = this.timesOf(table, group);
    row.time = this.met[of]!.add(time + shift, values, at, times, identityBeyond(group, cells, apart));
    return row;
  }

  /** Rows without a channel that is wanted are not counted. */
  private take(values: readonly MetCell[], form: CellForm): boolean {
    if (form.channels.length === 0) return false;
    this.read++;
    if (hasValue(values, form)) return true;
    this.empty++;
    return false;
  }

  result(): StoredRows {
    const { read, empty } = this;
    const met = this.met.map((one) => one.result());
    const sum = (count: (one: Meetings) => number): number => met.reduce((all, one) => all + count(one), 0);
    const [replaced, repeated, joined] = [
      sum((one) => one.replaced),
      sum((one) => one.repeated),
      sum((one) => one.joined),
    ];
    const firsts = met.flatMap(({ first }) => first ?? []);
    return {
      ...{ read, empty, replaced, repeated, joined, stored: read - empty - replaced - repeated - joined },
      channels: new Map(met.flatMap(({ channels }) => [...channels])),
      first: firsts.reduce<FirstMet | undefined>(
        (one, other) => (one === undefined || other.place < one.place ? other : one),
        undefined,
      ),
      moved: sum(({ moved }) => moved),
      farthest: met.reduce((most, { farthest }) => (farthest > most ? farthest : most), 0n),
      isAtLeast: met.some(({ isAtLeast }) => isAtLeast),
    };
  }
}

/** Runs that are told apart go back no more than they do within. */
function timesOfRuns({ groups, streams }: SeenTimes): (table: number, group: number) => GroupTimes {
  const within = streams.reduce((most, { longestBack }) => (longestBack > most ? longestBack : most), 0n);
  return (table, group) => {
    const { hasTies, back } = groups[table]![group]!;
    return { hasTies: hasTies || back > 0n, back: back < within ? back : within };
  };
}
