import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noTags, tagSet } from '../../../../src/domain/tags.ts';
import { windowsOfIndex } from '../../../../src/store/embedded/parts/part-index.ts';
import { openPart } from '../../../../src/store/embedded/parts/part-reader.ts';
import { windowSpan } from '../../../../src/store/embedded/rows/windows.ts';
import { verifyPart } from '../../../../src/store/embedded/verify-part.ts';
import { memoryFile, origin, rowsOf } from '../row-groups.ts';

const lap = (number: string) => tagSet([['lap', number]]);

/**
 * A part as version 2 wrote it: of both streams two families of columns, one of them with two row groups. These bytes stay
 * readable for as long as the version is the same.
 */
const version2 = `
BRwlBQQAEQEFAwkBBgEGAgQCDgMEAQYBMgAAAAAAAAAAANwFAAAX/P//AAAAAAAAwP//AwAEArALW11bWyJsYXAiLCIxIl1dW1sibGFw
IiwiMiJdXQIAZAEAAKA/AAAAgAAAwH8AAIjBDQACAApva29rAQAAAgD/BhQBARgtRFT7IQlAAAUIAQAAAFrfHhESAAIHAAMCAwYAAAMA
AANwaXQ7h7iEAg0BBACbARZbWyJsYXAiLCI5Il1dIEgAAQAAAgQGCAoMDhASFBYYGhweICIkJigqLC4wMjQ2ODo8PkBCREZISkxOUFJU
VlhaXF5gYmRmaGpsbnBydHZ4enx+gIKEhoiKjI6QkpSWmJqcnqCipKaoqqyusLK0tri6vL7AwsTGyMrMztDS1NbY2tze4OLk5ujq7O7w
8vT2+Pr8RoCAAoEEACAQBqIwDiRRFqZxHiiSJgohQACAgAIAAA65WkgoAABAgKtU0dtMJdTADAINAQQAngEaW1sibGFwIiwiOSJdXSBI
pN8CrQQAAAIEBggKDA4QEhQWGBocHiAiJCYoKiwuMDI0Njg6PD5AQkRGSEpMTlBSVFZYWlxeYGJkZmhqbG5wcnR2eHp8foCChIaIioyO
kJKUlpianJ6goqSmqKqsrrCytLa4ury+wMLExsjKzM7Q0tTW2Nrc3uDi5Obo6uzu8PL09vj6/EaktwmtCAAgEAaiMA4kURamcR4okiYK
IUCk3wKA2AYAAECVzwbAkgVAgP/9At307QKkUik6AAIHAAQBAA0AAgAkAQAAAIAAAAC+AACAvucRfpIoAAAAAQQnyeu3KQAArAQAAAAg
ALn0CgAAACAAufQKEACRqG3i5V3AAACWAgAIAADhIEC52gKAmggACAAA4SBAudoCgJoIAQAHLkZgJplHAgAAA2xhcAAEAAABMTI5BAMB
DAIDBIj4FSMgBwAAAAD5J/knAAAAAGvua+4AAAIA5AEBBAcAAMATAAgBAwCVlQIMAOhDagCAuwAAMgAX/P//AAAAAKQLAACkCwAADgAA
AP//AwAAAAAAAAAAAAgVewC1vAgAAAAAAAAAAAhAAAAAAAAAJEAAAAAAAAA0QAAAAAAAQHNAAAAAAADwc0AAAAAAAAAAAPj//////w9D
AAAAAADYhUBnAAAAqJANKgUAAAACAAAABAAAAA8AAABK2KxHcAAAAAIAAACQW8ohUElUV1BBUlQ=
`;

/** A spread part of version 2: stream 7 in the windows 3 and 40, stream 8 in window -2. */
const spread2 = `
AAEEAAQQBA+gh9YyLQABBQEFAAACb2uA8ypxAAEEAAMQACMn6zD0AAIEAAMBAQYQAC0AAANmYXI8dmSwAwEBBAEECgEHCAYARaECAgCEAAEA
AAEBATIABQAAAAYAAAD/////AAAAAAAAAADw/z8AAAcAVQAAAAQMIZAAAAAAAAAAAADAAAAAAAAAJEAAAAAAAAA0QAAAAAAAABRAAAAAAAAA
GEAAAAAAAAAAAPj//////w9DAAAAAAAATkBAAAAAs2gt2gQAAAACAAAABAAAAAAAAAAAAAAAcAAAAAIAAABxBYTIUElUV1BBUlQ=
`;

/** A part of version 2 with integer runs: of frames with differences, and of others. */
const runs2 = `
AAIEAIkBGQMA/wEVKACCAUKoD78DDAAAPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/wPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/z
PM/zPMzzPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM/zPM8hQqgPvwMMAAAFpwO4YgAMj9IB
cBun8goACAAEAABAGJViOgeEUSmmc0AYlWI6B4RRKaZzQBiVYjoHhFEppnNAGJViOgeEUSmmc0AYlWI6B4RRKaZzQBiVYjoHhFEppnNAGJViOgeE
USmmc0AYlWI6B4RRKaZzQBiVYjoHhFEppnNAGJViOgeEUSmmc0AYlWI6B4RRKaZzQBiVYjoHhFEppnNAGJViOgeEUSmmc0AYlWI6B4RRKaZzQBiV
YjoHhFEppnNAGJViOgeEUSmmc0AYlWI6B4RRKaZzQBiVYjoHhFEppnNAGJViOgeEUSmmc0AYlWI6B4RRKaZzQBiVYjoHhFEppnNAGJViOgeEUSmm
c0AYlWI6B4RRAQMAcA4DAHAOAwOPAQrtA2fD4S4AtFup2wEAAgIEDAAHAAAAAAABAAAAtAcAAAC8mwEAhgcAAAAAAAAAAAhAAAAAAAAAJEAAAAAA
AAA0QAAAAAAAQH9AAAAAAABAj0AAAAAAAAAAAAAAAAAAfsNAAAAAAABgfEAeAAAAsouvlwEAAAABAAAAAQAAAAAAAAAAAAAAcAAAAAIAAAB+JLeL
UElUV1BBUlQ=
`;

const mixedRows = [
  { offset: 1_000, tags: noTags, values: { 4: 1.25, 5: 'ok', 6: '\x00\xff' } },
  { offset: 1_000, tags: lap('1'), values: { 4: -0, 8: 0.5 } },
  { offset: 2_500, tags: lap('2'), values: { 4: NaN, 5: 'ok', 8: Math.PI } },
  { offset: 2 ** 50 - 1, tags: lap('1'), values: { 4: -17, 5: '', 11: 2 ** 53 } },
];

function longRows(from: number, count: number) {
  return Array.from({ length: count }, (_, i) => ({
    offset: (from + i) * 20,
    tags: lap('9'),
    values: { 4: (from + i) ** 2 / 100 },
  }));
}

describe('the format of parts', () => {
  it('is still read in version 2', async () => {
    const file = memoryFile(Buffer.from(version2, 'base64'));
    for await (const damage of verifyPart(file)) assert.fail(damage.what);
    const part = await openPart(file);
    const { window, firstLsn, lastLsn } = part.footer;
    assert.deepEqual({ window, firstLsn, lastLsn }, origin);
    const ofStream = async (stream: number, wanted: number[]) => {
      const handles = await part.groupsOf(stream, 0, windowSpan, new Set(wanted));
      return Promise.all(handles.map(async (handle) => rowsOf(await part.readGroup(handle))));
    };
    assert.deepEqual(await ofStream(7, [4]), [mixedRows]);
    assert.deepEqual(await ofStream(7, [9]), [[{ offset: 1_700, tags: noTags, values: { 7: 3, 9: 'pit' } }]]);
    assert.deepEqual(await ofStream(4_000_000_000, [4]), [longRows(0, 150), longRows(150, 150)]);
    assert.deepEqual(await ofStream(4_000_000_000, [8]), [
      [0, 1, 2].map((i) => ({ offset: 7 * i, tags: noTags, values: { 7: i, 8: -i / 8 } })),
    ]);
    assert.deepEqual(await ofStream(4_000_000_000, [5]), []);
    assert.deepEqual([...(await part.readTags())!], [['lap', ['1', '2', '9']]]);
    const squares = Array.from({ length: 300 }, (_, i) => i * i);
    const statistics = await part.readStatistics(2);
    assert.deepEqual(statistics!.parameters, [4]);
    assert.deepEqual(statistics!.stretches, [
      [
        {
          count: 300,
          first: 0,
          last: 894.01,
          min: 0,
          max: 894.01,
          sum: squares.reduce((a, b) => a + b) / 100,
          isExact: true,
        },
      ],
    ]);
    assert.deepEqual(
      statistics!.groups[0]!.map((totals) => totals!.count),
      [150, 150],
    );
    assert.equal(await part.readStatistics(0), undefined);
  });

  it('is still read in version 2 with several windows', async () => {
    const file = memoryFile(Buffer.from(spread2, 'base64'));
    for await (const damage of verifyPart(file)) assert.fail(damage.what);
    const part = await openPart(file);
    assert.equal(part.footer.window, -2);
    assert.deepEqual(windowsOfIndex(await part.readIndex()), [-2, 3, 40]);
    const rowsIn = async (stream: number, window: number, wanted: number) => {
      const handles = await part.groupsOf(stream, 0, windowSpan, new Set([wanted]), window);
      return Promise.all(handles.map(async (handle) => rowsOf(await part.readGroup(handle))));
    };
    const row = (offset: number, values: Record<number, number | string>) => ({
      offset,
      tags: noTags,
      values,
    });
    assert.deepEqual(await rowsIn(7, 3, 4), [[row(5, { 4: 1.5 }), row(90, { 4: 2.5 })]]);
    assert.deepEqual(await rowsIn(7, 3, 5), [[row(6, { 5: 'ok' })]]);
    assert.deepEqual(await rowsIn(7, 40, 4), [[row(2 ** 50 - 1, { 4: 3.5 })]]);
    assert.deepEqual(await rowsIn(8, -2, 5), [[row(0, { 4: 4.5, 5: 'far' })]]);
    assert.deepEqual(await rowsIn(7, -2, 4), []);
    assert.deepEqual(await rowsIn(8, 3, 4), []);
  });

  it('is still read in version 2 with integer runs', async () => {
    const file = memoryFile(Buffer.from(runs2, 'base64'));
    for await (const damage of verifyPart(file)) assert.fail(damage.what);
    const part = await openPart(file);
    const [handle] = await part.groupsOf(7, 0, windowSpan);
    const rows = Array.from({ length: 500 }, (_, i) => ({
      offset: 20 * i,
      tags: noTags,
      values: { 4: (1000 + 2 * i + (i % 3)) / 100, 7: (i * 37) % 11 },
    }));
    assert.deepEqual(rowsOf(await part.readGroup(handle!)), rows);
  });
});
