import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../root.ts';
import { pages } from './markdown.ts';

/** So many fit beside each other in a review. */
const columns = 110;

/** What cannot be broken: rows of tables, headings, and lines of one picture, link or code span. */
const unbroken = /^\s*(?:\||#|\S?!?\[[^\]]*\]\([^)]*\)\S*$|`[^`]*`\S?$)/;

function longLines(page: string): string[] {
  let isFenced = false;
  return readFileSync(join(root, page), 'utf8')
    .split('\n')
    .flatMap((line, i) => {
      if (/^\s*```/.test(line)) isFenced = !isFenced;
      return line.length > columns && !isFenced && !unbroken.test(line) ? [`${page}:${i + 1}`] : [];
    });
}

describe('the lines of a page', () => {
  it(`have no more than ${columns} columns`, () => {
    assert.deepEqual(pages.flatMap(longLines), []);
  });
});
