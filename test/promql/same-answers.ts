import type { Answered } from './ask.ts';

/** Sums in another order, and functions of other libraries, differ in the last digits. */
const tolerance = 1e-9;

interface AnswerSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly value?: readonly [number, string];
  readonly values?: readonly (readonly [number, string])[];
}

/**
 * What is not the same in two answers, as text; undefined where they are the same. Of errors status and kind count, not the
 * words; the order of series counts where the query puts them in order.
 */
export function difference(theirs: Answered, ours: Answered, isOrdered: boolean): string | undefined {
  if (theirs.status !== ours.status || theirs.errorType !== ours.errorType) {
    return `${theirs.status} ${theirs.errorType ?? ''} ${theirs.error ?? ''} | ${ours.status} ${ours.errorType ?? ''} ${ours.error ?? ''}`;
  }
  if (theirs.status !== 200) return undefined;
  if (theirs.resultType !== ours.resultType) return `${theirs.resultType} | ${ours.resultType}`;
  if (theirs.resultType === 'scalar' || theirs.resultType === 'string') {
    return samePoint(theirs.result as [number, string], ours.result as [number, string]);
  }
  const [a, b] = [theirs.result, ours.result].map((result) => inOrder(result as AnswerSeries[], isOrdered));
  if (a!.length !== b!.length) return `${a!.length} series | ${b!.length} series`;
  for (let i = 0; i < a!.length; i++) {
    const found = sameSeries(a![i]!, b![i]!);
    if (found !== undefined) return found;
  }
  return undefined;
}

function keyOf({ metric }: AnswerSeries): string {
  return JSON.stringify(Object.entries(metric).sort());
}

function inOrder(series: readonly AnswerSeries[], isOrdered: boolean): readonly AnswerSeries[] {
  return isOrdered ? series : [...series].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function sameSeries(a: AnswerSeries, b: AnswerSeries): string | undefined {
  if (keyOf(a) !== keyOf(b)) return `${keyOf(a)} | ${keyOf(b)}`;
  const [x, y] = [a.values ?? [a.value!], b.values ?? [b.value!]];
  if (x.length !== y.length) return `${keyOf(a)}: ${x.length} values | ${y.length} values`;
  for (let i = 0; i < x.length; i++) {
    const found = samePoint(x[i]!, y[i]!);
    if (found !== undefined) return `${keyOf(a)}: ${found}`;
  }
  return undefined;
}

function samePoint(
  [timeA, a]: readonly [number, string],
  [timeB, b]: readonly [number, string],
): string | undefined {
  const isSame = timeA === timeB && (a === b || isNear(Number(a), Number(b)));
  return isSame ? undefined : `[${timeA}, ${a}] | [${timeB}, ${b}]`;
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b), 1e-300);
}
