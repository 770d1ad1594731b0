import type { GroupHandle } from '../codecs/row-group-directory.ts';
import { groupAt, type PartIndex, runParameters, runStart, windowOfRun } from '../parts/part-index.ts';
import type { PartReader } from '../parts/part-reader.ts';
import type { GroupTotals, RunStatistics } from '../parts/run-statistics.ts';
import type { ColumnFamily } from '../rows/column-families.ts';

/** A part that is merged, stream by stream, and of each window by window. */
export interface MergedPart {
  readonly reader: PartReader;
  /** The stream at hand; infinite at the end. */
  stream(): number;
  /** Its window at hand. */
  window(): number;
  /** The row groups of the stream and window at hand, of each family in order of time. */
  groups(): PlacedGroup[];
  /** Turns to what follows the stream and window at hand. */
  pass(): void;
  /** The totals of a group's columns, as far as they are known. */
  totalsOf(group: PlacedGroup): Promise<GroupTotals>;
  /** The bytes of a group; what stands one after another is read in large steps. */
  read(handle: GroupHandle): Promise<Buffer>;
}

export interface PlacedGroup {
  readonly handle: GroupHandle;
  /** The run that it stands in, and its place in it. */
  readonly run: number;
  readonly place: number;
  /** Its columns, which have one clock. */
  readonly parameters: readonly number[];
}

/** A row group that is merged; the parts of higher ranks win. */
export interface RankedGroup extends PlacedGroup {
  readonly part: MergedPart;
  readonly rank: number;
  /** The families that its columns go to. */
  families: ReadonlySet<ColumnFamily>;
}

/** The most bytes of the steps in which row groups that follow one another are read. */
const maxStepBytes = 1024 * 1024;
/** What the steps of all parts that are merged take together. */
const allStepsBytes = 8 * maxStepBytes;

/**
 * @param parts how many are merged together
 * @param windows the only ones of interest; all without it
 */
export async function mergedPart(
  reader: PartReader,
  parts: number,
  windows?: ReadonlySet<number>,
): Promise<MergedPart> {
  const index = await reader.readIndex();
  const { runs } = index;
  const { footer } = reader;
  let run = nextWanted(0);
  let lastRun = -1;
  let statistics: RunStatistics | undefined;
  let position = 0;
  let bytes: Buffer = Buffer.alloc(0);

  const stepBytes = Math.min(maxStepBytes, Math.ceil(allStepsBytes / parts));

  async function read({ position: start, length }: GroupHandle): Promise<Buffer> {
    // It would take its memory until the next one is wanted.
    if (length > stepBytes) return reader.readBytes(start, length);
    if (start < position || start + length > position + bytes.length) {
      const follows = start >= position && start <= position + bytes.length;
      const step = follows ? Math.min(stepBytes, footer.indexPosition - start) : 0;
      bytes = await reader.readBytes(start, Math.max(length, step));
      position = start;
    }
    return bytes.subarray(start - position, start - position + length);
  }

  function nextWanted(from: number): number {
    let next = from;
    while (next < runs.count && windows?.has(windowOfRun(runs, next)) === false) next++;
    return next;
  }

  function endOfWindow(): number {
    const window = windowOfRun(runs, run);
    let end = run;
    while (end < runs.count && runs.streams[end] === runs.streams[run] && windowOfRun(runs, end) === window)
      end++;
    return end;
  }

  return {
    reader,
    stream: () => runs.streams[run] ?? Number.POSITIVE_INFINITY,
    window: () => windowOfRun(runs, run),
    groups() {
      const found: PlacedGroup[] = [];
      const end = endOfWindow();
      for (let at = run; at < end; at++) {
        const parameters = [...runParameters(runs, at)];
        for (const [place, handle] of groupsOfRun(index, at).entries())
          found.push({ handle, run: at, place, parameters });
      }
      return found;
    },
    pass() {
      run = nextWanted(endOfWindow());
    },
    async totalsOf({ parameters, run: at, place }) {
      if (lastRun !== at) {
        statistics = await reader.readStatistics(at);
        lastRun = at;
      }
      const columns = new Map(statistics?.parameters.map((parameter, column) => [parameter, column]));
      return new Map(
        parameters.map((parameter) => [parameter, statistics?.groups[columns.get(parameter) ?? -1]?.[place]]),
      );
    },
    read,
  };
}

function groupsOfRun(index: PartIndex, run: number): GroupHandle[] {
  const start = runStart(index.runs, run);
  return Array.from({ length: index.runs.ends[run]! - start }, (_, i) => groupAt(index, run, start + i));
}
