import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { readElements } from '../../src/cli/json-elements.ts';

const folder = mkdtempSync(join(tmpdir(), 'pitwall-json-'));
after(() => rmSync(folder, { recursive: true }));

async function elementsOf(text: string): Promise<string[]> {
  const path = join(folder, 'file.json');
  writeFileSync(path, text);
  const elements: string[] = [];
  for await (const { number, bytes } of readElements(path)) {
    assert.equal(number, elements.length + 1);
    elements.push(bytes.toString());
  }
  return elements;
}

describe('the elements of a JSON file', () => {
  it('are those of its outermost array, or the one value that it is', async () => {
    assert.deepEqual(await elementsOf('[]'), []);
    assert.deepEqual(await elementsOf('\uFEFF [ 1 ,[2,{"a":[]}],"],[\\""] \n'), [
      ' 1 ',
      '[2,{"a":[]}]',
      '"],[\\""',
    ]);
    assert.deepEqual(await elementsOf('{"a":[1,2]}\n'), ['{"a":[1,2]}\n']);
  });

  it('are cut right wherever the chunks of the file end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.json({ maxDepth: 3 }), { minLength: 1 }), async (values) => {
        const padding = `${' '.repeat(256 * 1024 - 10)}`;
        const found = await elementsOf(`${padding}[${values.join(',')}]`);
        assert.deepEqual(found, values);
      }),
      { numRuns: 50 },
    );
  });

  it('are refused where the array is broken', async () => {
    const cases: [text: string, message: RegExp][] = [
      ['', /it is empty/],
      [' \n', /it is empty/],
      ['[1', /the array does not end/],
      ['[1,', /the array does not end/],
      ['["]', /the array does not end/],
      ['[1,]', /a comma before the end/],
      ['[,1]', /a comma without an element/],
      ['[1] 2', /more behind the end/],
    ];
    for (const [text, message] of cases) await assert.rejects(elementsOf(text), message, text);
    await assert.rejects(readElements(join(folder, 'none.json')).next(), /none.json cannot be read/);
  });
});
