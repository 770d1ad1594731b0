import { Kind, type ParameterKey } from '../../../domain/parameter-data.ts';
import type { Selection } from '../../../query/plan/plan.ts';
import type { Steps } from '../../../turns/steps.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { streamsToRead } from '../catalog/select-streams.ts';
import type { RowsToCount } from '../read/lost-rows.ts';
import { timeList } from '../rows/time-list.ts';
import { windowOf, windowStart } from '../rows/windows.ts';
import { type TombstoneJson, tombstoneToJson } from '../tombstones/tombstone.ts';

/** A delete of rows before it is a record. */
export interface RowDelete {
  readonly record: TombstoneJson;
  readonly selection: Selection;
  /** Numbers of streams, ascending. */
  readonly streams: Uint32Array;
  /** Undefined: all but events. */
  readonly parameters: ReadonlySet<number> | undefined;
}

/** Looks the names up: what nobody has written has no number, and nothing to delete. */
export function* draftRowDelete(
  state: CatalogState,
  selection: Selection,
  parameters: readonly ParameterKey[] | undefined,
): Steps<RowDelete> {
  const { workspace, streamIds, topic, from, to, tagFilters } = selection;
  const streams = yield* streamsToRead(state, workspace, streamIds, topic);
  const numbers =
    parameters &&
    new Set(
      parameters
        .map(({ kind, name }) => state.parametersByName[kind].get(name)?.number)
        .filter((number) => number !== undefined),
    );
  const record = tombstoneToJson({ streams, from, to, parameters: numbers, tagFilters });
  return { record, selection, streams, parameters: numbers };
}

/** The streams of a delete that may have rows in the range, as they were at one moment. */
export interface StreamsToCount {
  readonly count: number;
  /** At places of the list, those that have something to lose. */
  between(from: number, to: number): RowsToCount[];
  /** Always to be called: their sets of parameters stay as they were until then. */
  release(): void;
}

/** Looks at the streams in one go, some nanoseconds for each. */
export function streamsToCount(
  { streams, sets, parameters }: CatalogState,
  { streams: selected, parameters: named, selection }: RowDelete,
): StreamsToCount {
  const { rows } = streams;
  const numbers = new Uint32Array(selected.length);
  const setOf = new Uint32Array(selected.length);
  const shared = new Map<number, Omit<RowsToCount, 'stream'> | undefined>();
  const [firstWindow, lastWindow] = [windowOf(selection.from), windowOf(selection.to)];
  const firstOffset = Number(selection.from - windowStart(firstWindow));
  const lastOffset = Number(selection.to - windowStart(lastWindow));
  const [first, last] = [timeList(), timeList()];
  let count = 0;
  for (let i = 0; i < selected.length; i++) {
    const stream = selected[i]!;
    if (rows.hasData[stream] !== true) continue;
    first.put(0, rows.dataStart, stream);
    last.put(0, rows.dataEnd, stream);
    if (first.isAfter(0, lastWindow, lastOffset) || last.isBefore(0, firstWindow, firstOffset)) continue;
    const set = rows.parameters[stream]!;
    if (!shared.has(set)) shared.set(sets.share(set), losingOf(set));
    numbers[count] = stream;
    setOf[count++] = set;
  }

  function losingOf(set: number): Omit<RowsToCount, 'stream'> | undefined {
    const written = sets.members(set);
    const isEvent = (number: number) => parameters[number]?.kind === Kind.Event;
    const losing = written.filter((number) => named?.has(number) ?? !isEvent(number));
    return losing.length === 0
      ? undefined
      : { parameters: new Set(losing), hasEvents: written.some(isEvent) };
  }

  return {
    count,
    between(from, to) {
      const found: RowsToCount[] = [];
      for (let place = from; place < Math.min(to, count); place++) {
        const losing = shared.get(setOf[place]!);
        if (losing !== undefined) found.push({ stream: numbers[place]!, ...losing });
      }
      return found;
    },
    release() {
      for (const set of shared.keys()) sets.release(set);
      shared.clear();
    },
  };
}
