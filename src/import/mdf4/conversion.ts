import { type FileBytes, FileFault } from '../file-bytes.ts';
import { needData, readBlock } from './blocks.ts';

/** Raw number to physical one. */
export type Convert = (raw: number) => number;

const valuesAt = 24;

/**
 * The conversion of a block CC: none (0), linear (1) or rational (2). Its data: uint8 type, then uint16 number of values
 * at 6, and the values, doubles, at 24. Gives undefined for another: a formula, a table, text. Throws a FileFault.
 */
export async function readConversion(file: FileBytes, offset: number): Promise<Convert | undefined> {
  if (offset === 0) return (raw) => raw;
  const block = await readBlock(file, offset, ['CC']);
  needData(block, valuesAt, 0);
  const { data } = block;
  const type = data.getUint8(0);
  const value = (i: number): number => {
    if (data.byteLength < valuesAt + 8 * (i + 1)) throw new FileFault('the block CC is too short', offset);
    return data.getFloat64(valuesAt + 8 * i, true);
  };
  if (type === 0) return (raw) => raw;
  if (type === 1) {
    const [shift, factor] = [value(0), value(1)];
    return (raw) => shift + factor * raw;
  }
  if (type === 2) {
    const [a, b, c, d, e, f] = [value(0), value(1), value(2), value(3), value(4), value(5)];
    return (raw) => (a * raw * raw + b * raw + c) / (d * raw * raw + e * raw + f);
  }
  return undefined;
}
