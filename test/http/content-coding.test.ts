import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseCoding } from '../../src/http/content-coding.ts';

describe('the coding of a kept file', () => {
  for (const [header, coding] of [
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['deflate', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip', 'gzip'],
    ['gzip;q=x', undefined],
  ] as const) {
    it(`for '${header}' is ${coding}`, () => assert.equal(chooseCoding(header), coding));
  }
});
