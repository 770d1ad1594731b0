import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openGpx } from '../../../src/import/position/open-gpx.ts';
import { bytesOf } from '../tables/read-table.ts';

const head = '<gpx version="1.1" creator="a device" xmlns="http://www.topografix.com/GPX/1/1">';
const point = '<trkpt lat="48.1" lon="-11.5"><time>2021-05-08T14:03:01Z</time></trkpt>';

describe('a file of GPX', () => {
  it('has each text of the file, under a name of its own, or tells which are left out', async () => {
    const texts = '<metadata><link href="a"/><link href="b"/><link href="a"/></metadata>';
    const track = `<trk><cmt>dry</cmt><cmt>wet</cmt><trkseg>${point}</trkseg></trk>`;
    const idle = '<trk><name>Way</name><cmt>later</cmt></trk>';
    const log = await openGpx(bytesOf(Buffer.from(`${head}${texts}${track}${idle}</gpx>`)));
    assert.deepEqual(log.metadata, {
      creator: 'a device',
      'link.href': 'a',
      'link.href (2)': 'b',
      'track.cmt': 'dry',
      'track.cmt (2)': 'wet',
    });
    assert.deepEqual(log.notes, [
      'metadata under other names than in the file: link.href (2), track.cmt (2)',
    ]);
    assert.deepEqual(log.leftOut, ['2 texts of tracks without a point that has a time']);
  });
});
