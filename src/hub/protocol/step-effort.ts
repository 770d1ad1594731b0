/**
 * How much has been written of an event, or an answer: about its values, where long texts and binaries count as several.
 * It is written in steps that are a fraction of a millisecond each.
 */
export interface Effort {
  spent: number;
  stepEnd: number;
}

/** The effort of a step, in values: the slowest take a fraction of a microsecond each. */
const effortOfStep = 1000;
/** Values that are looked at together: few of them, until they turn out to be short. */
const firstPiece = 16;
const longestPiece = 1000;

export function noEffort(): Effort {
  return { spent: 0, stepEnd: effortOfStep };
}

/** Returns the effort of a text, or a binary, in values. */
export function effortOfLong({ length }: string | Uint8Array): number {
  return length >> 5;
}

/** Whether the step is to end here; then the next one begins. */
export function endsStep(effort: Effort): boolean {
  if (effort.spent < effort.stepEnd) return false;
  effort.stepEnd = effort.spent + effortOfStep;
  return true;
}

type Piece = readonly [from: number, to: number];

/** Pieces of a list, as they are asked for: short ones where its elements take long. */
export function piecesOf(list: { readonly length: number }, effort: Effort): Iterable<Piece> {
  return list.length <= firstPiece ? [[0, list.length]] : piecesOfMany(list, effort);
}

function* piecesOfMany(
  { length }: { readonly length: number },
  effort: Effort,
): Generator<Piece, void, void> {
  let size = firstPiece;
  for (let from = 0; from < length; ) {
    const to = Math.min(length, from + size);
    const before = effort.spent;
    yield [from, to];
    from = to;
    size = effort.spent - before > effortOfStep ? Math.max(1, size >> 2) : Math.min(longestPiece, size * 8);
  }
}
