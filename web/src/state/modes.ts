/** What the axis of the plots is; `overlay` lays laps over each other. */
export type Mode = 'time' | 'overlay' | 'table';

/** Panels beside the plots. */
export type Beside = 'xy' | 'histogram' | 'spectrum' | 'sectors' | 'report' | 'video';

/** How rows of XY are drawn; empty: as lines. */
export type XyAs = '' | 'points' | 'density';

/** What is drawn around them. */
export type XyExtra = 'fit' | 'hull';

const modes: readonly Mode[] = ['time', 'overlay', 'table'];
const panels: readonly Beside[] = ['xy', 'histogram', 'spectrum', 'sectors', 'report', 'video'];

/** Of an address. Those of old links have XY as a mode, of runs or of laps. */
export function modeIn(fields: URLSearchParams): Mode {
  if (isOldXy(fields)) return fields.has('tag') && fields.has('value') ? 'overlay' : 'time';
  return modes.find((mode) => mode === fields.get('mode')) ?? 'time';
}

export function besideIn(fields: URLSearchParams): readonly Beside[] {
  const named = isOldXy(fields) ? ['xy'] : (fields.get('beside') ?? '').split(',');
  return panels.filter((panel) => named.includes(panel));
}

export function xyAsIn(text: string | null): XyAs {
  return text === 'points' || text === 'density' ? text : '';
}

export function xyWithIn(text: string | null): readonly XyExtra[] {
  const named = (text ?? '').split(',');
  return (['fit', 'hull'] as const).filter((extra) => named.includes(extra));
}

function isOldXy(fields: URLSearchParams): boolean {
  return fields.get('mode') === 'xy';
}

/** Into more pieces nothing is cut. */
const mostPieces = 1024;

/** A number of pieces: a whole one from 1 on. */
export function piecesOf(text: string | null): number {
  const count = Number(text ?? '1');
  return Number.isInteger(count) && count >= 1 && count <= mostPieces ? count : 1;
}
