import { PitwallError } from '../../errors.ts';
import { notACursor } from '../../query/plan/cursor.ts';
import type { StreamKey } from '../store.ts';
import type { ColumnEvaluator } from './column-evaluator.ts';
import { maxStateNumbers, type SavedStream } from './page-state.ts';

/** The most streams of one read that remember something at the same time. */
export const maxStreams = 10_000;

/** What looks along the rows of the streams of a read, each stream from its first row on. */
export interface OpenStreams {
  /** Makes the evaluators of a stream ready, one for each column. Throws `query_too_large` where there are too many streams. */
  open(stream: StreamKey): Promise<void>;
  /** Returns the evaluators of a stream that is open. */
  of(stream: StreamKey): readonly ColumnEvaluator[];
  /** What all of them remember; undefined where that is more than a cursor carries. */
  save(): SavedStream[] | undefined;
  /** Goes back to what they remembered when no other stream was open. */
  goBack(saved: readonly SavedStream[]): void;
}

/**
 * @param begin gives evaluators that have seen no row of a stream
 * @param warm gives those that have seen the rows before, of a stream of which nothing was saved
 * @param before what was saved of streams at the cursor; where it is of no such evaluators, `open` throws `invalid_value`
 */
export function openStreams(
  begin: (stream: StreamKey) => readonly ColumnEvaluator[],
  warm: (stream: StreamKey) => Promise<readonly ColumnEvaluator[]>,
  before: readonly SavedStream[],
): OpenStreams {
  const open = new Map<
    string,
    { readonly stream: StreamKey; readonly evaluators: readonly ColumnEvaluator[] }
  >();
  /** Of streams without a row since the cursor. */
  const waiting = new Map(before.map((saved) => [keyOf(saved), saved]));

  return {
    async open(stream) {
      const key = keyOf(stream);
      if (open.has(key)) return;
      if (open.size === maxStreams) throw tooManyStreams();
      const saved = waiting.get(key);
      const evaluators = saved === undefined ? await warm(stream) : restored(begin(stream), saved);
      waiting.delete(key);
      open.set(key, { stream, evaluators });
    },
    of: (stream) => open.get(keyOf(stream))!.evaluators,
    save() {
      let numbers = 0;
      for (const { evaluators } of open.values()) {
        for (const evaluator of evaluators) numbers += evaluator.size();
        if (numbers > maxStateNumbers) return undefined;
      }
      const saved = [...waiting.values()];
      for (const { stream, evaluators } of open.values())
        saved.push({ ...stream, columns: evaluators.map((evaluator) => evaluator.save()) });
      return saved;
    },
    goBack(saved) {
      for (const one of saved) {
        const known = open.get(keyOf(one));
        if (known !== undefined) restored(known.evaluators, one);
      }
    },
  };
}

function restored(
  evaluators: readonly ColumnEvaluator[],
  { columns }: SavedStream,
): readonly ColumnEvaluator[] {
  if (columns.length !== evaluators.length) throw notACursor();
  for (const [i, evaluator] of evaluators.entries()) if (!evaluator.restore(columns[i]!)) throw notACursor();
  return evaluators;
}

function keyOf({ streamId, topic }: StreamKey): string {
  return JSON.stringify([streamId, topic]);
}

function tooManyStreams(): PitwallError {
  return new PitwallError('query_too_large', {
    detail: `a calculated parameter that looks along rows goes over more than ${maxStreams} streams; ask for fewer`,
  });
}
