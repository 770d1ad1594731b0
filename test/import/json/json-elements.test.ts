import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readElements } from '../../../src/import/json/json-elements.ts';
import { bytesOf } from '../tables/read-table.ts';

async function elementsOf(text: string): Promise<string[]> {
  const elements: string[] = [];
  for await (const { number, bytes } of readElements(bytesOf(Buffer.from(text)))) {
    assert.equal(number, elements.length + 1);
    elements.push(Buffer.from(bytes).toString());
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
    assert.deepEqual(await elementsOf('{"a":[1,2]}\n'), ['{"a":[1,2]}']);
  });

  it('are the values that stand one after the other, each with its line', async () => {
    const text = '\uFEFF{"a":"}\\"\\n{"}\r\n\r\n {"b":[1,\n2]}{"c":1} \n7 true';
    const found: [number, string][] = [];
    for await (const { line, bytes } of readElements(bytesOf(Buffer.from(text))))
      found.push([line, Buffer.from(bytes).toString()]);
    assert.deepEqual(found, [
      ...([
        [1, '{"a":"}\\"\\n{"}'],
        [3, '{"b":[1,\n2]}'],
        [4, '{"c":1}'],
      ] as [number, string][]),
      ...([
        [5, '7'],
        [5, 'true'],
      ] as [number, string][]),
    ]);
  });

  it('are cut right wherever the chunks of the file end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.json({ maxDepth: 3 }), { minLength: 1 }), async (values) => {
        const padding = `${' '.repeat(256 * 1024 - 10)}`;
        const found = await elementsOf(`${padding}[${values.join(',')}]`);
        assert.deepEqual(found, values);
        assert.deepEqual(
          await elementsOf(`${padding}{"a":${values[0]}}\n${values.map((value) => `[${value}]`).join('\n')}`),
          [`{"a":${values[0]}}`, ...values.map((value) => `[${value}]`)],
        );
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
      ['{"a":1}\n{"a":\n', /what begins in line 2 does not end/],
    ];
    for (const [text, message] of cases) await assert.rejects(elementsOf(text), message, text);
  });
});
