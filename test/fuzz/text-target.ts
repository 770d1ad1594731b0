import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileFault } from '../../src/import/file-bytes.ts';
import { isFault, rowMapper } from '../../src/import/text/map-rows.ts';
import { openText } from '../../src/import/text/open-text.ts';
import { readRows, settleText } from '../../src/import/text/survey-text.ts';
import { TextFault } from '../../src/import/text/text-layout.ts';
import { root } from '../root.ts';
import { mutate } from './mutate.ts';
import type { Target } from './target.ts';

const words = [
  '"',
  '\n',
  ';',
  ',',
  '\t',
  ' ',
  '[km/h]',
  '(s)',
  '08.05.2021',
  '10:23:11,5',
  '-',
  '1e30',
  'Time',
  'Beacon Markers',
  '[data]',
].map((word) => Buffer.from(word));
const folder = join(root, 'test/import/text/files');
const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));

/**
 * A text file is read as rows of its columns, or refused with a fault of ours. What a survey counts is what is read, and
 * after it no cell is wrong.
 */
export const textTarget: Target = {
  name: 'text',
  short: 150,
  make: (random) => mutate(random.pick(files), random, words, files),
  async check(input) {
    const read = async (offset: number, length: number) => {
      if (offset < 0 || length < 0 || offset + length > input.length) throw new Error('read beyond the file');
      return Uint8Array.from(input.subarray(offset, offset + length));
    };
    const file = { size: input.length, read };
    try {
      const opened = await openText(file, {});
      const { survey, layout } = await settleText(file, opened, () => undefined);
      const mapRow = rowMapper(layout);
      let rows = 0;
      let faults = 0;
      for await (const piece of readRows(file, layout)) {
        for (const one of piece.rows) {
          const row = mapRow(one);
          if (row === undefined) continue;
          if (isFault(row)) faults++;
          else {
            rows++;
            if (row.cells.length !== layout.columns.length) throw new Error(`${row.cells.length} cells`);
            if (BigInt.asIntN(64, row.time) !== row.time) throw new Error(`the time ${row.time}`);
          }
        }
      }
      if (rows !== survey.rows || faults !== survey.faults)
        throw new Error(
          `gives ${rows} rows and ${faults} faults; counted ${survey.rows} and ${survey.faults}`,
        );
    } catch (error) {
      if (!(error instanceof TextFault) && !(error instanceof FileFault)) throw error;
    }
  },
};
