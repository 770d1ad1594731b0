import { FileFault } from '../../src/import/file-bytes.ts';
import { openLd } from '../../src/import/motec/open-ld.ts';
import { makeLd, makeLdx } from '../import/motec/made-ld.ts';
import { mutate } from './mutate.ts';
import type { Target } from './target.ts';

const words = [[0], [0xff], [0xff, 0xff, 0xff, 0x7f], [0x40], [7], [4]].map((bytes) => Buffer.from(bytes));

/**
 * A MoTeC log, with an .ldx file behind a mark, is read as rows in order of time whose samples are no more than the file
 * has bytes for, or refused with a fault of ours.
 */
export const motecTarget: Target = {
  name: 'motec',
  short: 200,
  make(random) {
    const changed = random.once(20) ? log : mutate(log, random, words, [log]);
    return random.once(20) ? changed.subarray(random.below(changed.length)) : changed;
  },
  async check(input) {
    const split = input.lastIndexOf(mark);
    const end = split < 0 ? input.length : split;
    const ldx = split < 0 ? undefined : input.toString('utf8', split + mark.length);
    const read = async (offset: number, length: number) => {
      if (offset < 0 || length < 0 || offset + length > end) throw new Error('read beyond the file');
      return Uint8Array.from(input.subarray(offset, offset + length));
    };
    try {
      const { tables } = await openLd({ size: end, read }, ldx);
      let samples = 0;
      for (const table of tables) {
        let before: bigint | undefined;
        for await (const { time, values } of table.read()) {
          if (before !== undefined && time <= before) throw new Error('times go back');
          before = time;
          samples += values.filter((value) => value !== null).length;
        }
      }
      if (samples * 2 > end) throw new Error(`${samples} samples of ${end} bytes`);
    } catch (error) {
      if (!(error instanceof FileFault)) throw error;
    }
  },
};

const mark = '\nthe .ldx file:\n';
const samples = Uint8Array.from({ length: 40 }, (_, i) => i * 37);
const log = Buffer.concat([
  makeLd([
    { name: 'Speed', unit: 'km/h', kind: [3, 2], rate: 10, samples, places: 1 },
    { name: 'Throttle', kind: [7, 4], rate: 100, samples },
    { name: 'Lat', kind: [7, 2], rate: 100, samples, shift: -3, multiplier: 2, scale: 10 },
    { name: 'Distance', kind: [5, 4], rate: 65_535, samples },
  ]),
  Buffer.from(mark + makeLdx(['1.5e+05', '2.5e+05'])),
]);
