import { durationOf, numberOf } from './literals.ts';
import { faultAt, type Source, type SyntaxNode } from './source.ts';

/** Milliseconds of a duration as it is written: `5m`, `-1h30m`, or a number of seconds. */
export function durationIn(node: SyntaxNode, source: Source): number {
  const [first, second] = [node.firstChild, node.firstChild?.nextSibling ?? null];
  if (first === null) return literalMs(node, source);
  if (second === null) return durationIn(first, source);
  if (first.name === 'UnaryOp' && second.nextSibling === null) {
    const sign = source.at(first) === '-' ? -1 : 1;
    return sign * durationIn(second, source);
  }
  throw faultAt(source, node.from, 'calculations with durations are not supported here');
}

function literalMs(node: SyntaxNode, source: Source): number {
  const text = source.at(node);
  const ms = durationOf(text) ?? (numberOf(text) ?? Number.NaN) * 1000;
  if (Number.isFinite(ms) && Math.abs(ms) <= maxMs) return Math.round(ms);
  throw faultAt(source, node.from, `not a valid duration string: ${JSON.stringify(text)}`);
}

/** The longest duration: of 64-bit nanoseconds, in ms. */
const maxMs = 9_223_372_036_854;
