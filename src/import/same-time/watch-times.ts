import { type FoundRestarts, type Restart, RestartFinder, type RowPlace } from './find-restarts.ts';
import { HourFinder, type HourTwice } from './hour-twice.ts';
import { type FindGroup, rowGroups } from './row-groups.ts';

/** What times are: counted from a start, clocks without a day, or moments. */
export type TimeKind = 'elapsed' | 'clock' | 'moment';

/** What came of the times of rows that can meet. */
export interface GroupTimes {
  /** Whether rows with the same time follow each other. */
  readonly hasTies: boolean;
  /** The longest step back, ns. */
  readonly back: bigint;
}

/** The times of a file, from its first row to its last: whether rows can meet earlier ones, and where times begin anew. */
export interface SeenTimes {
  readonly options: WatchOptions;
  readonly kind: TimeKind;
  readonly rows: number;
  /** By table and by group (see `rowGroups`): tables that share a channel share their groups. */
  readonly groups: readonly (readonly GroupTimes[])[];
  /** In the order of the file. */
  readonly restarts: readonly Restart[];
  /** Of each stream of rows, in which restarts are looked for; of a logger's file its tables. */
  readonly streams: readonly FoundRestarts[];
  readonly hour: HourTwice | undefined;
}

export interface WatchOptions {
  /** Columns that tell rows of one time apart: tags, and those that say where a row goes. */
  readonly apart: readonly number[];
  /** Of these, the columns that say where a row goes. */
  readonly streams?: readonly number[];
  /** Without it, times that lie before 1973 count from a start. */
  readonly kind?: TimeKind | undefined;
  /** Of a logger's file: for each table the first one with which it shares a channel. */
  readonly tables?: readonly number[];
}

interface Group {
  to: bigint;
  back: bigint;
  hasTies: boolean;
}

/** The longest time (ns) since a start: nobody logs for so long. */
const longestElapsed = 100_000_000_000_000_000n;

/** Looks at the times of rows, one after the other. It costs next to nothing while they go forward, and remembers no row. */
export class TimeWatch {
  private readonly groups: Group[][];
  private readonly findGroup: FindGroup[];
  private readonly findStream: FindGroup;
  private readonly finders: RestartFinder[] = [];
  private readonly hours: HourFinder[] = [];
  private readonly options: WatchOptions;
  /** Of the row that is looked at. */
  private readonly at = { row: -1, place: 0, table: 0 };
  private isEarly = true;

  constructor(options: WatchOptions) {
    this.options = options;
    const { apart, streams = [], tables = [0] } = options;
    this.groups = tables.map(() => []);
    this.findGroup = tables.map(() => rowGroups(apart));
    this.findStream = rowGroups(streams);
  }

  /**
   * @param place of the row in the file: its line, or its number in its table
   * @param cells of the row: those apart are looked at
   */
  see(time: bigint, place: number, cells: readonly unknown[], table = 0): void {
    const of = this.options.tables?.[table] ?? 0;
    const group = this.findGroup[of]!(cells);
    const known = this.groups[of]![group];
    let isBack = true;
    if (known === undefined) this.groups[of]![group] = { to: time, back: 0n, hasTies: false };
    else if (time > known.to) {
      known.to = time;
      isBack = false;
    } else if (time === known.to) known.hasTies = true;
    else if (known.to - time > known.back) known.back = known.to - time;
    this.at.row++;
    this.at.place = place;
    this.at.table = table;
    this.seeStream(time, this.at, cells, isBack, known === undefined);
    if (this.isEarly && (time > longestElapsed || time < -longestElapsed)) this.isEarly = false;
  }

  /** @param known what times are, where that is known by now */
  end(known = this.options.kind): SeenTimes {
    const kind = known ?? (this.isEarly ? 'elapsed' : 'moment');
    const found = Array.from(this.finders, (finder) => (finder ?? new RestartFinder()).end());
    const canRestart = kind !== 'moment';
    const streams = canRestart ? found : found.map(withoutRestarts);
    const hours = kind === 'elapsed' ? [] : this.hours.flatMap((finder) => finder.end() ?? []);
    const [first] = hours.toSorted((one, other) => one.row - other.row);
    return {
      options: this.options,
      kind,
      rows: this.at.row + 1,
      groups: (this.options.tables ?? [0]).map((of) => this.groups[of]!),
      restarts: streams.flatMap(({ restarts }) => restarts).toSorted((one, other) => one.row - other.row),
      streams,
      hour: first && { ...first, rows: hours.reduce((sum, { rows }) => sum + rows, 0) },
    };
  }

  private seeStream(
    time: bigint,
    place: RowPlace,
    cells: readonly unknown[],
    canRestart: boolean,
    hasNewTags: boolean,
  ): void {
    const { streams = [], kind } = this.options;
    const at = streams.length > 0 ? this.findStream(cells) : place.table;
    this.finders[at] ??= new RestartFinder();
    this.hours[at] ??= new HourFinder();
    const isHour = kind !== 'elapsed' && this.hours[at].see(time, place);
    // A clock that goes back by an hour has not begun anew.
    this.finders[at].see(time, place, canRestart && !(isHour && kind === 'clock'), hasNewTags);
  }
}

function withoutRestarts({ runs, step }: FoundRestarts): FoundRestarts {
  return { restarts: [], runs: runs.slice(0, 1), longestBack: 0n, step };
}
