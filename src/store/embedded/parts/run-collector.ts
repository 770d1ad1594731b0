import assert from 'node:assert/strict';
import type { ColumnSummary } from '../codecs/column-codec.ts';
import type { GroupHandle } from '../codecs/row-group-directory.ts';
import { numberedSets } from './column-sets.ts';
import type { WrittenRun } from './part-index.ts';
import { type GroupTotals, runTotals } from './run-statistics.ts';

/** A row group as it goes to the file. */
export type NewGroup = Omit<GroupHandle, 'parameters' | 'position'>;

/** Makes runs of row groups: of one stream, window and family, with all columns that any of them has. */
export function runCollector() {
  const numbered = numberedSets();
  const written: WrittenRun[] = [];
  const statistics: Buffer[] = [];
  const totalsOfRun = runTotals();
  /** Parameters of the runs of the stream and window at hand that have ended. */
  const ended = endedRuns();
  /** The parameters of the run at hand, ascending. */
  let parameters: readonly number[] = [];
  let stream = -1;
  let window = 0;
  let groups = 0;
  let last = 0;
  let streams = 0;

  function end(): void {
    if (groups === 0) return;
    ended.add(parameters);
    const set = numbered.numberOf(parameters);
    const block = totalsOfRun.take();
    if (block !== undefined) statistics.push(block);
    written.push({ stream, window, set, groups, statisticsLength: block?.length ?? 0 });
    parameters = [];
    groups = 0;
  }

  return {
    end,
    add(group: NewGroup, columns: readonly ColumnSummary[], totals: () => GroupTotals): void {
      if (group.stream !== stream) {
        assert(group.stream > stream, 'row groups come in order of streams');
        end();
        stream = group.stream;
        ended.clear();
        streams++;
      } else if (group.window !== window) {
        assert(group.window > window, 'windows of a stream ascend');
        end();
        ended.clear();
      }
      window = group.window;
      assert(groups === 0 || group.minOffset >= last, 'row groups of a family come in order of time');
      last = group.maxOffset;
      groups++;
      parameters = withParametersOf(parameters, columns);
      totalsOfRun.add(totals, group.rows);
    },
    finish() {
      end();
      return { sets: numbered.sets, written, statistics, streams };
    },
  };
}

/** Sees to it that the runs of a stream and window have no parameter in common. */
function endedRuns() {
  /** Most streams have one run. */
  let first: readonly number[] | undefined;
  let all: Set<number> | undefined;
  return {
    add(parameters: readonly number[]): void {
      if (first === undefined) {
        first = parameters;
        return;
      }
      all ??= new Set(first);
      for (const parameter of parameters) {
        assert(!all.has(parameter), 'families of a stream and window have no column in common');
        all.add(parameter);
      }
    },
    clear(): void {
      first = undefined;
      all = undefined;
    },
  };
}

/** The parameters and those of columns, ascending. */
function withParametersOf(
  parameters: readonly number[],
  columns: readonly ColumnSummary[],
): readonly number[] {
  if (parameters.length === 0) return columns.map(({ parameter }) => parameter);
  const isSame =
    parameters.length === columns.length && columns.every(({ parameter }, i) => parameter === parameters[i]);
  if (isSame) return parameters;
  const all = new Set(parameters);
  for (const { parameter } of columns) all.add(parameter);
  return [...all].sort((a, b) => a - b);
}
