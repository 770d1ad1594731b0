import { openCan } from '../../src/import/can/open-can.ts';
import { readDbc } from '../../src/import/can/read-dbc.ts';
import { FileFault } from '../../src/import/file-bytes.ts';
import { rowsOf } from '../../src/import/logged-file.ts';
import { vehicle } from '../import/can/made-can.ts';
import { mutate } from './mutate.ts';
import type { Target } from './target.ts';

const logs = [
  'date Wed Apr 16 09:21:13.159 am 2014\nbase hex  timestamps absolute\n0.01 1 64 Rx d 8 04 00 80 02 00 00 00 00\n0.02 CANFD 2 Rx 200 Name 1 0 9 12 00 01 02 03 04 05 06 07 08 09 0A 0B\n0.03 1 ErrorFrame\n',
  '(1709528767.123456) can0 064#0400800200000000\n(1709528767.2) can0 18FEF1FE#0007\n (1709528767.3)  can0  064   [2]  04 00\n',
].map((text) => Buffer.from(text));
const dbc = Buffer.from(vehicle);
const words = ['064#', '(', '[8]', 'd 8', 'x', '\n', 'SG_', 'BO_', 'm1M', '"', ';', '@1+', '64'].map((word) =>
  Buffer.from(word),
);
/** Between the log and the DBC. */
const border = Buffer.from('\0\0');

/** A log of a CAN bus and its DBC are read as rows, no more than its bytes can stand for, or refused with a fault of ours. */
export const canTarget: Target = {
  name: 'can',
  short: 200,
  make(random) {
    const log = logs[random.below(logs.length)]!;
    const changed = random.once(4) ? log : mutate(log, random, words, logs);
    return Buffer.concat([changed, border, random.once(2) ? dbc : mutate(dbc, random, words, [dbc])]);
  },
  async check(input) {
    const at = input.indexOf(border);
    const [log, text] = at < 0 ? [input, dbc] : [input.subarray(0, at), input.subarray(at + border.length)];
    const read = async (offset: number, length: number) => {
      if (offset < 0 || length < 0 || offset + length > log.length) throw new Error('read beyond the file');
      return Uint8Array.from(log.subarray(offset, offset + length));
    };
    try {
      const opened = await openCan({ size: log.length, read }, readDbc([{ name: 'a.dbc', bytes: text }]));
      let rows = 0;
      for await (const _row of rowsOf(opened)) rows++;
      if (rows > log.length) throw new Error(`${rows} rows of ${log.length} bytes`);
    } catch (error) {
      if (!(error instanceof FileFault)) throw error;
    }
  },
};
