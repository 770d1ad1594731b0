import { FileFault } from '../../src/import/file-bytes.ts';
import { rowsOf } from '../../src/import/logged-file.ts';
import { openGpx } from '../../src/import/position/open-gpx.ts';
import { openNmea } from '../../src/import/position/open-nmea.ts';
import { summed } from '../import/position/made-nmea.ts';
import { mutate } from './mutate.ts';
import type { Target } from './target.ts';

const point = '<trkpt lat="48.1" lon="11.5"><ele>5</ele><time>2021-05-08T14:03:10.5Z</time>';
const tracks = [
  `<?xml version="1.0" encoding="utf-8"?><gpx version="1.1" creator="a" xmlns="http://www.topografix.com/GPX/1/1" xmlns:x="http://example.com/x"><metadata><name>b</name></metadata><trk><name>c</name><trkseg>${point}<extensions><x:hr a="1">120</x:hr></extensions></trkpt></trkseg></trk></gpx>`,
  `<gpx><wpt lat="1" lon="2"/><trk><trkseg>${point}<speed>1.5</speed></trkpt>${point}</trkpt></trkseg></trk><rte><rtept lat="1" lon="2"/></rte></gpx>`,
].map((text) => Buffer.from(text));
const logs = [
  '$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n$GPVTG,084.4,T,,M,,N,1.5,K\r\n',
  `${summed('$GPRMC,235959.5,A,4807.038,S,01131.000,W,022.4,084.4,230394,003.1,W')}\n$GNZDA,000000,24,03,1994,00,00\n$GNGLL,4807.038,N,01131.000,E,000000,A\n`,
].map((text) => Buffer.from(text));
const words = [
  ...[
    '<',
    '>',
    '/>',
    '</trkpt>',
    '<trkpt ',
    'lat="91"',
    '&amp;',
    '&#0;',
    '<![CDATA[',
    ']]>',
    '<!--',
    '-->',
    'xmlns:y="z"',
  ],
  ...['$', '*00', ',', '$GPGGA,', '$GPRMC,', 'A', 'V', '240000', '\n', '\0', '\ufeff'],
].map((word) => Buffer.from(word));

/** Logs of NMEA and files of GPX are read as rows, no more than their bytes can stand for, each time the same, or refused with a fault of ours. */
export const positionTarget: Target = {
  name: 'position',
  short: 200,
  make(random) {
    const of = random.once(2) ? tracks : logs;
    return mutate(of[random.below(of.length)]!, random, words, of);
  },
  async check(input) {
    const read = async (offset: number, length: number) => {
      if (offset < 0 || length < 0 || offset + length > input.length) throw new Error('read beyond the file');
      return Uint8Array.from(input.subarray(offset, offset + length));
    };
    for (const open of [openGpx, openNmea]) {
      try {
        const log = await open({ size: input.length, read });
        let rows = 0;
        for await (const { row } of rowsOf(log)) {
          rows++;
          if (row.values.length !== log.tables[0]!.channels.length)
            throw new Error('a row without a channel');
        }
        if (rows !== log.tables[0]!.rows)
          throw new Error(`${rows} rows, and ${log.tables[0]!.rows} are told`);
        if (rows > input.length) throw new Error(`${rows} rows of ${input.length} bytes`);
      } catch (error) {
        if (!(error instanceof FileFault)) throw error;
      }
    }
  },
};
