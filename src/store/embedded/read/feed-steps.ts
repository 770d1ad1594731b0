import type { Aggregator } from '../../../query/aggregator.ts';
import type { DecodedRows } from '../../../query/rows-to-aggregate.ts';
import type { CountRows } from '../../../query/running-queries.ts';
import type { Pace } from '../../../turns/pace.ts';
import { PresenceForm } from '../codecs/presence-codec.ts';
import type { EncodedGroup } from '../parts/encoded-group.ts';
import { parameterFinder } from '../rows/find-parameter.ts';
import { dropEmptyRows } from '../rows/gather-rows.ts';
import type { RowGroup } from '../rows/row-group.ts';
import { windowStart } from '../rows/windows.ts';
import {
  type Edges,
  groupStep,
  groupSteps,
  groupsAndOthers,
  outermost,
  readAhead,
  type Step,
} from './aggregate-steps.ts';
import type { KeptGroup } from './kept-groups.ts';
import type { LeftTotals } from './left-totals.ts';
import { mergeSources } from './overlap-merge.ts';
import { addByTotals } from './range-totals.ts';
import { rowSource, type Source } from './sources.ts';
import { createStoredRows, rowsOfView, type StoredRowsOf } from './stored-group-rows.ts';
import type { GroupPiece, Piece, PieceChain } from './stream-pieces.ts';
import type { PartGroup } from './walk-parts.ts';
import type { PartRange } from './walk-ranges.ts';

/** Of a plan that calculates. */
export interface RowsApart {
  /** Adds the rows of a stream, by its place, whose expressions name parameters that are stored apart. */
  addJoined(place: number): Promise<void>;
  /**
   * Shows the evaluators the rows of a stream before the first wanted one, as far as they look back.
   *
   * @param group has those rows, perhaps not all
   */
  seeBefore(place: number, group: PartGroup | undefined): Promise<void>;
}

/** Gives what a step has to an aggregator; a promise where it has to be waited for. */
export function feeder(
  aggregator: Aggregator,
  left: LeftTotals,
  parameters: readonly (number | undefined)[],
  pace: Pace,
  countRows: CountRows,
  apart?: RowsApart,
) {
  const storedRows: StoredRowsOf = createStoredRows(parameters);
  const wanted = parameters.filter((number) => number !== undefined).sort((a, b) => a - b);
  const wantedSet = new Set(wanted);
  return feed;

  function feed(step: Step): Promise<void> | undefined {
    switch (step.kind) {
      case 'stream':
        aggregator.openStream(step.key);
        return undefined;
      case 'rows':
        addRows(step.window, step.rows);
        return undefined;
      case 'group':
        if (step.encoded instanceof Promise) return step.encoded.then((encoded) => addEncoded(step, encoded));
        addEncoded(step, step.encoded);
        return undefined;
      case 'kept':
        addKept(step);
        return undefined;
      case 'left':
        left.add(step);
        return undefined;
      case 'range':
        return addRange(step);
      case 'overlap':
        return merge(step.window, step.sources);
      case 'joined':
        return apart?.addJoined(step.place);
      case 'before':
        return apart?.seeBefore(step.place, step.group);
      default:
        return addEdges(step.chain, step.edges);
    }
  }

  function addKept({ rows, set, group }: KeptGroup): void {
    rows.open(set, group);
    countRows(rows.count);
    aggregator.addStored(rows);
  }

  function addRows(window: number, group: RowGroup): void {
    countRows(group.count);
    const rows = dropEmptyRows(group);
    if (rows.count > 0) aggregator.add(decodedRows(window, rows, parameters));
  }

  function addEncoded(piece: GroupPiece, encoded: EncodedGroup): void {
    const { window, inside } = piece.group;
    const { hidden } = piece;
    const outcome = storedRows(encoded, window, inside, hidden, (rows) => {
      if (!left.addRows(piece, rows)) aggregator.addStored(rows);
    });
    if (outcome === 'sparse') addRows(window, rowsOfView(encoded, parameters, inside, hidden));
    else countRows(encoded.handle.rows);
  }

  /** Adds a range by its totals, and the groups of which these are not enough. */
  async function addRange(range: PartRange): Promise<void> {
    const left = await addByTotals(range, parameters, aggregator);
    for (const step of readAhead(groupSteps(left, wantedSet))) {
      const fed = feed(step);
      if (fed !== undefined) await fed;
      const turn = pace();
      if (turn !== undefined) await turn;
    }
  }

  /** Adds pieces from both ends until one has a value of every parameter in its outermost row. */
  async function addEdges({ pieces, parameters: numbers }: PieceChain, edges: Edges): Promise<void> {
    let left = groupsAndOthers(pieces);
    for (const edge of ['first', 'last'] as const) {
      if (!edges[edge]) continue;
      for (const piece of outermost(pieces, edge)) {
        if (left-- === 0) return;
        if (await addEdge(piece, numbers, edge)) break;
      }
    }
  }

  /** Whether the outermost row of the piece has all values. */
  async function addEdge(
    piece: Exclude<Piece, PartRange>,
    numbers: ReadonlySet<number>,
    edge: 'first' | 'last',
  ): Promise<boolean> {
    await pace();
    if (piece.kind === 'overlap') await merge(piece.window, piece.sources);
    if (piece.kind === 'rows') addRows(piece.window, piece.rows);
    if (piece.kind !== 'group') return false;
    const encoded = await groupStep(piece, wantedSet).encoded;
    addEncoded(piece, encoded);
    const { minOffset, maxOffset } = encoded.handle;
    const { inside } = piece.group;
    const outermost = edge === 'first' ? minOffset : maxOffset;
    const isThere =
      outermost >= inside.first &&
      outermost <= inside.last &&
      !piece.hidden.some(({ first, last }) => first <= outermost && last >= outermost);
    const dense = encoded.columns.filter((entry) => entry.presenceForm === PresenceForm.All);
    return isThere && dense.filter(({ parameter }) => numbers.has(parameter)).length === numbers.size;
  }

  async function merge(window: number, sources: readonly Source[]): Promise<void> {
    const loadable = sources.map((source) => rowSource(source, wanted));
    for await (const group of mergeSources(loadable, false)) {
      addRows(window, group);
      await pace();
    }
  }
}

function decodedRows(
  window: number,
  group: RowGroup,
  parameters: readonly (number | undefined)[],
): DecodedRows {
  const { count, offsets, tagSets, tagIndex, columns } = group;
  return {
    count,
    base: windowStart(window),
    offsets,
    tagSets,
    tagIndex,
    columns: parameters.map(parameterFinder(columns)),
  };
}
