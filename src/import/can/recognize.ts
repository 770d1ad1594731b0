import { isCandumpLine, isTimelessCandump } from './candump-line.ts';

/** Kinds of logs of CAN buses: Vector's as text and as bytes, and those of candump. */
export type CanLogKind = 'asc' | 'blf' | 'candump' | 'candump without times';

/** Bytes in which a log shows what it is. */
export const canHeadBytes = 16 << 10;
const headLines = 60;
const ascHead = /^\s*(?:base\s+(?:hex|dec)\b|begin\s+trigger\s*block\b)/i;
const ascFrame = /^\s*\d+\.\d+\s+(?:CANFD\s+)?\d+\s+(?:\S+\s+)?(?:Rx|Tx)\s+(?:[dr]\s+[0-9A-F]|\S+\s)/i;

/** Which log of a CAN bus begins with these bytes; undefined for another file, such as a table. */
export function recognizeCan(head: Uint8Array): CanLogKind | undefined {
  const text = new TextDecoder('windows-1252').decode(head);
  if (text.startsWith('LOGG')) return 'blf';
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
  // The last one may be cut off.
  if (head.length >= canHeadBytes && lines.length > 1) lines.pop();
  const first = lines.slice(0, headLines);
  if (first.some((line) => ascHead.test(line) || ascFrame.test(line))) return 'asc';
  if (first.some(isCandumpLine)) return 'candump';
  return first.length > 0 && first.every(isTimelessCandump) ? 'candump without times' : undefined;
}
