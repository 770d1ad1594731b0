import { unpackedName } from '../../../src/import/compression/unpacked-file.ts';
import { kindOfFile } from '../../../src/import/file-kinds.ts';

/** What is imported as one: a file, and those that say more of it. */
export interface Chosen {
  readonly file: File;
  readonly beside: readonly File[];
}

const isLaps = ({ name }: File): boolean => /\.ldx$/i.test(name);
const isDbc = ({ name }: File): boolean => /\.dbc$/i.test(name);
/** Files that may have frames of a CAN bus in them, as their content shows. */
const mayHaveFrames = ({ name }: File): boolean =>
  ['can', 'mdf4'].includes(kindOfFile(name) ?? '') || /\.(?:asc|log|txt)$/i.test(name);

/**
 * Files that belong together, in the order of the first ones: laps (.ldx) go with the MoTeC log of the same name, and where
 * there is one of each, whatever they are called; what frames of CAN buses mean (.dbc) goes with all that may have some. Each of
 * these without a log stands alone.
 */
export function chosenOf(files: readonly File[]): Chosen[] {
  const laps = files.filter(isLaps);
  const meanings = files.filter(isDbc);
  const logs = files.filter(({ name }) => kindOfFile(name) === 'motec');
  const arePair = laps.length === 1 && logs.length === 1;
  const lapsOf = (file: File): File[] => {
    if (!logs.includes(file)) return [];
    return laps.filter((one) => arePair || plainName(one) === plainName(file)).slice(0, 1);
  };
  const besideOf = (file: File) => (mayHaveFrames(file) ? meanings : lapsOf(file));
  const chosen = files
    .filter((file) => !isLaps(file) && !isDbc(file))
    .map((file) => ({ file, beside: besideOf(file) }));
  const taken = new Set(chosen.flatMap(({ beside }) => beside));
  const alone = [...laps, ...meanings]
    .filter((file) => !taken.has(file))
    .map((file) => ({ file, beside: [] }));
  return [...chosen, ...alone];
}

function plainName({ name }: File): string {
  return name.replace(/\.ldx?$/i, '').toLowerCase();
}

/** What a stream is called that comes of a file: its name without its end. */
export function streamNameOf({ file }: Chosen): string {
  return (
    unpackedName(file.name)
      .replace(/\.[^.]*$/, '')
      .trim() || 'imported'
  );
}
