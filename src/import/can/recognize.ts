import { headLines } from '../log-lines.ts';
import { isCandumpLine, isTimelessCandump } from './candump-line.ts';

/** Kinds of logs of CAN buses: Vector's as text and as bytes, and those of candump. */
export type CanLogKind = 'asc' | 'blf' | 'candump' | 'candump without times';

const ascHead = /^\s*(?:base\s+(?:hex|dec)\b|begin\s+trigger\s*block\b)/i;
const ascFrame = /^\s*\d+\.\d+\s+(?:CANFD\s+)?\d+\s+(?:\S+\s+)?(?:Rx|Tx)\s+(?:[dr]\s+[0-9A-F]|\S+\s)/i;

/** Which log of a CAN bus begins with these bytes; undefined for another file, such as a table. */
export function recognizeCan(head: Uint8Array): CanLogKind | undefined {
  const first = headLines(head);
  if (first[0]?.startsWith('LOGG') === true) return 'blf';
  if (first.some((line) => ascHead.test(line) || ascFrame.test(line))) return 'asc';
  if (first.some(isCandumpLine)) return 'candump';
  return first.length > 0 && first.every(isTimelessCandump) ? 'candump without times' : undefined;
}
