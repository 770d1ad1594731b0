import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noTags, tagSet } from '../../../../src/domain/tags.ts';
import { decodeGroup, openPart } from '../../../../src/store/embedded/parts/part-reader.ts';
import { verifyPart } from '../../../../src/store/embedded/verify-part.ts';
import { memoryFile, origin, rowsOf } from '../row-groups.ts';

/** A part as version 1 wrote it. These bytes stay readable for ever: new versions add a fixture, none replaces it. */
const version1 = `
BRwlBQQAEQEFAwkBBgEGAgQCDgMEAQYBMgAAAAAAAAAAANwFAAAX/P//AAAAAAAAwP//AwAEArALW11bWyJsYXAiLCIxIl1dW1si
bGFwIiwiMiJdXQIAZAEAAKA/AAAAgAAAwH8AAIjBDQACAApva29rAQAAAgD/BhQBARgtRFT7IQlAAAUIAQAAAFrfHhESAg0BBACb
ARZbWyJsYXAiLCI5Il1dIEgAAQAAAgQGCAoMDhASFBYYGhweICIkJigqLC4wMjQ2ODo8PkBCREZISkxOUFJUVlhaXF5gYmRmaGps
bnBydHZ4enx+gIKEhoiKjI6QkpSWmJqcnqCipKaoqqyusLK0tri6vL7AwsTGyMrMztDS1NbY2tze4OLk5ujq7O7w8vT2+Pr8RoCA
AoEEACAQBqIwDiRRFqZxHiiSJgohQACAgAIAAA65WkgoAABAgKtU0dtMJdTADEAHuZ/Z5h0IBACSCgDoAwAypC5z8P//AAAAAP//
AwAAQJACOgAAAAAAAAAACEAAAAAAAAAkQAAAAAAAADRAAAAAAABAY0AAAAAAACBkQAAAAAAAAAAA+P//////D0MAAAAAAKB1QCYA
AAD7V1VqAgAAAAIAAABkAAAAAQAAAHSX58xQSVRXUEFSVA==
`;

const lap = (number: string) => tagSet([['lap', number]]);

describe('the format of parts', () => {
  it('is still read in version 1', async () => {
    const file = memoryFile(Buffer.from(version1, 'base64'));
    for await (const damage of verifyPart(file)) assert.fail(damage.what);
    const part = await openPart(file);
    const { window, firstLsn, lastLsn } = part.footer;
    assert.deepEqual({ window, firstLsn, lastLsn }, origin);
    const groups = [];
    for await (const stored of part.storedGroups()) groups.push(decodeGroup(file.name, stored));
    assert.deepEqual(
      groups.map(({ stream }) => stream),
      [7, 4_000_000_000],
    );
    const [mixed, long] = groups.map(rowsOf);
    assert.deepEqual(mixed, [
      { offset: 1_000, tags: noTags, values: { 4: 1.25, 5: 'ok', 6: '\x00\xff' } },
      { offset: 1_000, tags: lap('1'), values: { 4: -0, 8: 0.5 } },
      { offset: 2_500, tags: lap('2'), values: { 4: NaN, 5: 'ok', 8: Math.PI } },
      { offset: 2 ** 50 - 1, tags: lap('1'), values: { 4: -17, 5: '', 11: 2 ** 53 } },
    ]);
    assert.deepEqual(
      long,
      Array.from({ length: 150 }, (_, i) => ({
        offset: i * 20,
        tags: lap('9'),
        values: { 4: (i * i) / 100 },
      })),
    );
  });
});
