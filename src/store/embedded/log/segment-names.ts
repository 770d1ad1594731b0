export function segmentName(sequence: number): string {
  return logName('segment', sequence);
}

/** The name of a file of the log, with its number in twelve digits. */
export function logName(kind: 'segment' | 'spare' | 'damaged', number: number): string {
  return `${kind}-${String(number).padStart(12, '0')}.log`;
}

/** The number in a segment's file name, or undefined for another file. */
export function segmentSequence(name: string): number | undefined {
  const match = /^segment-(\d{12})\.log$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

export function isSpare(name: string): boolean {
  return /^spare-\d{12}\.log$/.test(name);
}

export function isSetAside(name: string): boolean {
  return /^damaged-\d{12}\.log$/.test(name);
}
