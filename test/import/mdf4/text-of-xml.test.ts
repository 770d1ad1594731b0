import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textOfXml } from '../../../src/import/mdf4/text-of-xml.ts';

describe('the text of a comment in XML', () => {
  it('stands in its first TX, whatever attributes that has', () => {
    assert.equal(
      textOfXml('<CN><TX xml:lang="en" x="a b">Speed &amp; more</TX><TX>other</TX></CN>'),
      'Speed & more',
    );
    assert.equal(textOfXml('<CNcomment><TXT>no</TXT><TX\n>yes</TX ></CNcomment>'), 'yes');
  });

  it('is looked for once: of marks that nothing closes, each is no new beginning of the rest', () => {
    // As the square of the length this would take most of an hour.
    assert.equal(textOfXml('<TX '.repeat(500_000)), '');
    assert.equal(textOfXml(`<TX>${'</TX '.repeat(500_000)}`), '');
  });
});
