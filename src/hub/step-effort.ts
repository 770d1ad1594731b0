/**
 * How much has been written of an event, or an answer: about its values, where long texts and binaries count as several.
 * It is written in steps that are a fraction of a millisecond each.
 */
export interface Effort {
  spent: number;
  stepEnd: number;
}

/** The slowest values take a fraction of a microsecond each. */
const effortOfStep = 1000;
/** Values that are looked at together: few of them, until they turn out to be short. */
const firstPiece = 16;
const longestPiece = 1000;

export function noEffort(): Effort {
  return { spent: 0, stepEnd: effortOfStep };
}

export function spend(effort: Effort, value: unknown): void {
  effort.spent += typeof value === 'string' || value instanceof Uint8Array ? 1 + (value.length >> 5) : 1;
}

/** Whether the step is to end here; then the next one begins. */
export function endsStep(effort: Effort): boolean {
  if (effort.spent < effort.stepEnd) return false;
  effort.stepEnd = effort.spent + effortOfStep;
  return true;
}

/** Pieces of a list, as they are asked for: short ones where its elements take long. */
export function* piecesOf<List extends { readonly length: number }>(
  list: List,
  effort: Effort,
): Generator<readonly [from: number, to: number], void, void> {
  let size = firstPiece;
  for (let from = 0; from < list.length; ) {
    const to = Math.min(list.length, from + size);
    const before = effort.spent;
    yield [from, to];
    from = to;
    size = effort.spent - before > effortOfStep ? Math.max(1, size >> 2) : Math.min(longestPiece, size * 4);
  }
}
