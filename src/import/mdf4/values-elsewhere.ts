import type { FileBytes } from '../file-bytes.ts';
import { readBlock } from './blocks.ts';
import { openSignalData, pieceMemory, type SignalData } from './signal-data.ts';

/** Values of variable length: beside the records of a sorted file, or records of a group of their own, among the others. */
export type LongValues =
  | { readonly kind: 'beside'; readonly data: SignalData }
  | {
      readonly kind: 'among';
      /** Place of the block of that group. */
      readonly group: number;
    };

/** Opens values by the link of their channel; undefined where there is none. Throws a FileFault. */
export type OpenLongValues = (link: number) => Promise<LongValues | undefined>;

export function longValues(file: FileBytes): OpenLongValues {
  const memory = pieceMemory();
  const seen = new Set<number>();
  return async (link) => {
    if (link === 0) return undefined;
    const { kind } = await readBlock(file, link, ['SD', 'DZ', 'DL', 'HL', 'CG'], 0);
    return kind === 'CG'
      ? { kind: 'among', group: link }
      : { kind: 'beside', data: await openSignalData(file, link, seen, memory) };
  };
}
