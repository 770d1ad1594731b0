/** `(time) can0 …`; times are seconds, or a date and a clock. */
export const stampedLine = /^\s*\((\d+\.\d+|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?)\)\s+(\S+)\s+(.*?)\s*$/;
/** `064#0011223344556677`, `064##1001122…`, `064#R8`, perhaps `R` or `T` behind it. */
export const shortFrame =
  /^([0-9A-F]{3}|[0-9A-F]{8})#(#[0-9A-F])?(R\d?|(?:[0-9A-F]{2}\.?)*)(?:_[0-9A-F])?(?:\s+[RT])?$/i;
/** `064   [8]  00 11 22 33 44 55 66 77`, perhaps with a direction before it and text behind. */
export const spacedFrame =
  /^(?:[RT]X\s+\S\s+\S\s+)?([0-9A-F]{3}|[0-9A-F]{8})\s+\[(\d+)\]\s*((?:\s*[0-9A-F]{2}(?![0-9A-F]))*)\s*(remote request.*|ERRORFRAME.*|'.*)?$/i;

/** Whether a line is one of candump, with its time. */
export function isCandumpLine(line: string): boolean {
  const rest = stampedLine.exec(line)?.[3];
  return rest !== undefined && (shortFrame.test(rest) || spacedFrame.test(rest));
}

/** Whether a line is one that candump writes without its options for times. */
export function isTimelessCandump(line: string): boolean {
  const match = /^\s*(v?can\w*|slcan\w*)\s+(.*?)\s*$/.exec(line);
  return match !== null && spacedFrame.test(match[2]!);
}
