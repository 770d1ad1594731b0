import { isCandumpLine, isTimelessCandump } from './read-candump.ts';

/** Kinds of logs of CAN buses: Vector's as text and as bytes, and those of candump. */
export type CanLogKind = 'asc' | 'blf' | 'candump';

/** Lines in which a log shows what it is. */
const headLines = 60;

/**
 * Whether the beginning of a text is that of a log of a CAN bus, and which. Undefined for another text, such as a table.
 * @param isCut whether the text goes on, so that its last line may not be whole
 */
export function recognizeCan(
  head: string,
  isCut: boolean,
): Exclude<CanLogKind, 'blf'> | 'candump without times' | undefined {
  const lines = head.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
  if (isCut && lines.length > 1) lines.pop();
  const first = lines.slice(0, headLines);
  if (
    first.some((line) => /^\s*base\s+(?:hex|dec)\b/i.test(line) || /^\s*begin\s+trigger\s*block/i.test(line))
  )
    return 'asc';
  if (first.some((line) => ascFrame.test(line))) return 'asc';
  if (first.some(isCandumpLine)) return 'candump';
  return first.length > 0 && first.every(isTimelessCandump) ? 'candump without times' : undefined;
}

const ascFrame = /^\s*\d+\.\d+\s+(?:CANFD\s+)?\d+\s+(?:\S+\s+)?(?:Rx|Tx)\s+(?:[dr]\s+[0-9A-F]|\S+\s)/i;
