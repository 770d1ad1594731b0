import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FileBytes } from '../../../src/import/file-bytes.ts';
import { openGpx } from '../../../src/import/position/open-gpx.ts';
import { fileOf } from '../can/made-can.ts';

/** Rows with the values that they have, by channel. */
const rowsOf = async (file: FileBytes) => {
  const log = await openGpx(file);
  const { channels, read } = log.tables[0]!;
  const rows: { time: string; [channel: string]: unknown }[] = [];
  for await (const { time, values, tags } of read()) {
    const named = channels.flatMap(({ name }, i) => (values[i] === null ? [] : [[name, values[i]]]));
    const tagged = log.tags.map((name, i) => [`#${name}`, tags[i]]);
    const at = `${new Date(Number(time / 1_000_000n)).toISOString().slice(0, 19)}.${String(time % 1_000_000_000n).padStart(9, '0')}`;
    rows.push({ time: at, ...Object.fromEntries([...named, ...tagged]) });
  }
  assert.equal(rows.length, log.tables[0]!.rows);
  return { log, rows };
};
const head11 =
  '<gpx version="1.1" creator="a device" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" xmlns:x="http://example.com/x">';
const head10 = '<gpx version="1.0" creator="a device" xmlns="http://www.topografix.com/GPX/1/0">';
const point = (second: number, inside = '') =>
  `<trkpt lat="48.1" lon="-11.5"><time>2021-05-08T14:03:${String(second).padStart(2, '0')}Z</time>${inside}</trkpt>`;
const track = (...points: readonly string[]) => `<trk><trkseg>${points.join('\n')}</trkseg></trk>`;
const read = (inside: string, head = head11) =>
  rowsOf(fileOf(`<?xml version="1.0"?>\n${head}${inside}</gpx>\n`));
const refused = (inside: string, why: RegExp, head = head11) => assert.rejects(read(inside, head), why);

/** By hand, after the schemas of GPX 1.0 and 1.1 and of Garmin's TrackPointExtension. */
describe('a file of GPX', () => {
  it('tells of numbers that are nearer to 0 than any double', async () => {
    const { log } = await read(track(point(10, '<extensions><x:v>1e-400</x:v></extensions>')));
    assert.deepEqual(log.notes, ["numbers of v nearer to 0 than a number can be are 0 ('1e-400' in line 2)"]);
  });

  it('is read as version 1.1, with the extensions of devices by their names', async () => {
    const { log, rows } = await read(
      `<metadata><name>Monza</name><author><name>Ada</name></author><bounds minlat="1"/></metadata>
<wpt lat="1" lon="2"><time>2020-01-01T00:00:00Z</time><name>Box</name></wpt>
<trk><name>Stint 1</name><type>race</type><trkseg>
<trkpt lat="48.1000001" lon="-11.5"><ele>500.25</ele><time>2021-05-08T16:03:10.123456789+02:00</time><sat>9</sat><fix>3d</fix><hdop>0.8</hdop><vdop>1.1</vdop><pdop>1.4</pdop><geoidheight>46.9</geoidheight><magvar>2.5</magvar>
<extensions><power>210</power><gpxtpx:TrackPointExtension><gpxtpx:atemp>21.5</gpxtpx:atemp><gpxtpx:hr>120</gpxtpx:hr><gpxtpx:cad>80</gpxtpx:cad><gpxtpx:speed>10.1</gpxtpx:speed><gpxtpx:course>84.4</gpxtpx:course></gpxtpx:TrackPointExtension>
<x:on>true</x:on><x:mode>Auto &amp; <![CDATA[<b>]]></x:mode><x:serial>12345678901234567890</x:serial><x:box side="2">7</x:box></extensions></trkpt>
<trkpt lat="48.2" lon="-11.5"><time>2021-05-08T14:03:11</time><link href="a.jpg"><text>photo</text></link></trkpt>
</trkseg></trk>`,
    );
    assert.deepEqual(rows, [
      {
        time: '2021-05-08T14:03:10.123456789',
        Latitude: 48.1000001,
        Longitude: -11.5,
        Altitude: 500.25,
        Satellites: 9,
        Fix: '3d',
        HDOP: 0.8,
        VDOP: 1.1,
        PDOP: 1.4,
        'Geoid height': 46.9,
        'Magnetic variation': 2.5,
        power: 210,
        atemp: 21.5,
        hr: 120,
        cad: 80,
        Speed: 36.36,
        Course: 84.4,
        on: 1,
        mode: 'Auto & <b>',
        serial: '12345678901234567890',
        'box.side': 2,
        box: 7,
      },
      {
        time: '2021-05-08T14:03:11.000000000',
        Latitude: 48.2,
        Longitude: -11.5,
        'link.href': 'a.jpg',
        'link.text': 'photo',
      },
    ]);
    assert.deepEqual(log.metadata, {
      creator: 'a device',
      name: 'Monza',
      author: 'Ada',
      'track.name': 'Stint 1',
      'track.type': 'race',
    });
    const units = log.tables[0]!.channels.flatMap(({ name, unit }) =>
      unit === '' ? [] : [`${name} ${unit}`],
    );
    assert.deepEqual(units, [
      ...[
        'Latitude deg',
        'Longitude deg',
        'Altitude m',
        'Geoid height m',
        'Magnetic variation deg',
        'power W',
      ],
      ...['atemp °C', 'hr bpm', 'cad rpm', 'Speed km/h', 'Course deg'],
    ]);
    assert.deepEqual(log.leftOut, ['1 waypoints (in line 3)']);
    assert.deepEqual(log.notes, [
      'Speed was in m/s and is in km/h here',
      "mode is text ('Auto & <b>' in line 7)",
      "serial is text ('12345678901234567890' in line 7)",
      "link.href is text ('a.jpg' in line 8)",
      "link.text is text ('photo' in line 8)",
      '1 times without a zone were taken for UTC',
    ]);
    assert.equal(log.start, 1_620_482_590_123_456_789n);
  });

  it('is read as version 1.0, with speed and course, and author and name of the file', async () => {
    const { log, rows } = await read(
      `<name>Monza</name><author>Ada</author>${track(point(1, '<course>84.4</course><speed>10</speed>'))}`,
      head10,
    );
    assert.deepEqual(rows, [
      { time: '2021-05-08T14:03:01.000000000', Latitude: 48.1, Longitude: -11.5, Course: 84.4, Speed: 36 },
    ]);
    assert.deepEqual(log.metadata, { creator: 'a device', name: 'Monza', author: 'Ada' });
  });

  it('has segments one after the other, and a tag that tells tracks and routes apart', async () => {
    const two = await read(`<trk><trkseg>${point(1)}</trkseg><trkseg>${point(3)}</trkseg></trk>`);
    assert.deepEqual(two.log.tags, []);
    assert.deepEqual(two.log.notes, ['rows of 2 segments follow each other']);
    assert.equal(two.log.isForward, true);

    const route = `<rte><name>Way</name>${point(2).replaceAll('trkpt', 'rtept')}<rtept lat="1" lon="1"/></rte>`;
    const { log, rows } = await read(
      `<trk><name>A</name><trkseg>${point(2)}</trkseg></trk>${track(point(1))}<trk><name>A</name><trkseg>${point(2)}</trkseg></trk>${route}`,
    );
    assert.deepEqual(
      rows.map(({ time, '#Track': name }) => [time.slice(17, 19), name]),
      [
        ['02', 'A'],
        ['01', 'Track 2'],
        ['02', 'A (2)'],
        ['02', 'Way'],
      ],
    );
    assert.equal(log.isForward, false);
    assert.equal(log.start, BigInt(Date.parse('2021-05-08T14:03:01Z')) * 1_000_000n);
    assert.deepEqual(log.leftOut, ['1 points without a time (in line 2)']);
    assert.equal(log.metadata['track.name'], undefined);
  });

  it('leaves out points without a time, and is refused where none has one', async () => {
    const bare = '<trkpt lat="1" lon="2"/>';
    const { rows, log } = await read(track(bare, point(1), bare));
    assert.equal(rows.length, 1);
    assert.deepEqual(log.leftOut, ['2 points without a time (first in line 2)']);
    await refused(
      track(bare),
      /^FileFault: there is no point with a time, .*; 1 points without a time \(in line 2\)$/,
    );
    await refused(`<x:a>${track(point(1))}</x:a>`, /there is no point with a time/);
    await refused('<wpt lat="1" lon="2"/>', /there is no point with a time, .*1 waypoints \(in line 2\)/);
  });

  it('takes values of extensions that are none as such, and tells what a point has twice', async () => {
    const inside = (text: string) => `<extensions><x:t>${text}</x:t></extensions>`;
    const { rows, log } = await read(
      track(point(1, inside('1')), point(2, inside('n/a')), point(3, inside('NaN'))),
    );
    assert.deepEqual(
      rows.map(({ t }) => t),
      [1, undefined, Number.NaN],
    );
    assert.deepEqual(log.leftOut, ["1 values of t that are none ('n/a' in line 3)"]);
    const twice = await read(track(point(1, '<ele>1</ele><ele>2</ele><x:t>3</x:t><x:t>4</x:t>text')));
    assert.deepEqual(twice.rows[0]!['Altitude'], 1);
    assert.deepEqual(twice.log.leftOut, [
      '1 values of Altitude that a point has besides its first (in line 2)',
      '1 values of t that a point has besides its first (in line 2)',
      '1 texts between elements (in line 2)',
    ]);
  });

  it('reads elements without namespaces, and prefixes that are not declared', async () => {
    const { rows } = await read(
      track(point(1, '<ele>5</ele><gpxtpx:hr>120</gpxtpx:hr><y:z>1</y:z>')),
      '<gpx version="1.1">',
    );
    assert.deepEqual(rows[0], {
      ...{ time: '2021-05-08T14:03:01.000000000', Latitude: 48.1, Longitude: -11.5 },
      ...{ Altitude: 5, hr: 120, z: 1 },
    });
  });

  it('is decoded as its mark or its declaration says', async () => {
    const xml = (encoding: string) =>
      `<?xml version="1.0" encoding="${encoding}"?>${head11}<metadata><name>Nürburg</name></metadata>${track(point(1))}</gpx>`;
    const utf16 = Buffer.from(`\ufeff${xml('UTF-16')}`, 'utf16le');
    const files = [
      ['UTF-8', Buffer.from(`\ufeff${xml('utf-8')}`)],
      ['UTF-16 LE', utf16],
      ['UTF-16 BE', Buffer.from(utf16).swap16()],
      ['UTF-16 without a mark', utf16.subarray(2)],
      ['Latin 1', Buffer.from(xml('ISO-8859-1'), 'latin1')],
      ['UTF-8 that says it is UTF-16', Buffer.from(xml('utf-16'))],
    ] as const;
    for (const [name, bytes] of files) {
      const { log } = await rowsOf(fileOf(bytes));
      assert.equal(log.metadata['name'], 'Nürburg', name);
    }
    await assert.rejects(
      rowsOf(fileOf(Buffer.from(xml('utf-8'), 'latin1'))),
      /^FileFault: line 1: at or behind this line are bytes that are not UTF-8 text$/,
    );
    await assert.rejects(
      rowsOf(fileOf(xml('klingon'))),
      /^FileFault: line 1: the encoding 'klingon' is not known$/,
    );
  });

  it('is refused with the line of what is wrong', async () => {
    const where = (inside: string) => track(point(1), inside);
    const cases: readonly [string, RegExp][] = [
      [where('<trkpt lat="91" lon="1"/>'), /line 3: lat is 91, which is not from -90 to 90$/],
      [where('<trkpt lat="1" lon="-180.5"/>'), /line 3: lon is -180.5, which is not from -180 to 180$/],
      [where('<trkpt lat="48,1" lon="1"/>'), /line 3: lat is '48,1', which is no number$/],
      [where('<trkpt lat="true" lon="1"/>'), /line 3: lat is 'true', which is no number$/],
      [where('<trkpt lat="1"/>'), /line 3: the point has no lon$/],
      [where(point(2, '\n<ele>high</ele>')), /line 4: Altitude is 'high', which is no number$/],
      [where(point(2, '\n<gpxtpx:hr>ERR</gpxtpx:hr>')), /line 4: hr is 'ERR', which is no number$/],
      [
        track(...[1, 2, 3].map((t) => point(t, `<x:t>${t === 2 ? 'ERR' : t}</x:t>`))),
        /line 3: t is 'ERR', which is no number$/,
      ],
      [
        where(point(2).replace('14:03:02Z', '14:63:02Z')),
        /line 3: the time of the point is '2021-05-08T14:63:02Z': which is no time/,
      ],
      [
        where(point(2).replace('T14:03:02Z', '')),
        /line 3: the time of the point is '2021-05-08': which is no time/,
      ],
      [where(point(2).replace('2021', '9021')), /line 3: .* which is too far from 1970 to be kept$/],
      [where('<trkpt lat="1" lon="1">\n</trkseg>'), /line 4: this is no valid XML: unexpected close tag/],
      [where('<trkpt lat="1" lat="2" lon="1"/>'), /line 3: this is no valid XML: duplicate attribute: lat/],
      [where(point(2, '&nbsp;')), /line 3: this is no valid XML: undefined entity/],
      ['<a>'.repeat(200), /line 2: elements stand more than 100 deep in each other$/],
      [where(point(2, `<x:t>${'a'.repeat(70_000)}</x:t>`)), /line 3: t has more than 65536 characters$/],
    ];
    for (const [inside, why] of cases) await refused(inside, why);
  });

  it('is refused where it is cut off, or something else', async () => {
    const open = (text: string) => rowsOf(fileOf(text));
    const whole = `${head11}\n${track(point(1), point(2))}</gpx>`;
    for (let length = 1; length < whole.length; length++)
      await assert.rejects(
        open(whole.slice(0, length)),
        /^FileFault: line \d: (?:the file is cut off|this is no)/,
        `${length}`,
      );
    await assert.rejects(open(''), /^FileFault: it is empty$/);
    await assert.rejects(
      open('lat,lon\n1,2\n'),
      /^FileFault: line \d: this is no valid XML: text data outside of root/,
    );
    await assert.rejects(
      open('<?xml version="1.0"?>\n<kml/>'),
      /^FileFault: line 2: this is no GPX: its first element is <kml>$/,
    );
    await assert.rejects(
      open(`${whole}${whole}`),
      /this is no valid XML: documents may contain only one root/,
    );
    await assert.rejects(
      open(`<!DOCTYPE gpx [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>\n${whole}`),
      /^FileFault: line 1: it has a DOCTYPE, which GPX does not have: entities that one declares are not read$/,
    );
  });

  it('is read in memory that does not depend on its length, and stops at a text without an end', async () => {
    const text = new TextEncoder().encode(`${head11}<!--`);
    let most = 0;
    const endless: FileBytes = {
      size: 1 << 30,
      read: async (offset, length) => {
        most = Math.max(most, offset + length);
        const bytes = new Uint8Array(length).fill(97);
        if (offset === 0) bytes.set(text.subarray(0, length));
        return bytes;
      },
    };
    await assert.rejects(openGpx(endless), /line 1: a tag or a text has more than 4194304 characters/);
    assert.ok(most < 8 << 20);
  });
});
