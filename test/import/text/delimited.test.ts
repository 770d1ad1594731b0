import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { delimitedParser } from '../../../src/import/text/delimited.ts';
import { readText } from './read-text.ts';

const read = (text: string) => readText(Buffer.from(text));

describe('cells of a text file', () => {
  it('keep a carriage return in quotes, and lose that of the end of a line', async () => {
    const { columns } = await read('Timestamp,Note\r\n1,"x\r"\r\n2,"y"\r\n3,"z\r\n"\n4,"w\r"');
    assert.deepEqual(columns, { 'Note [] text': ['x\r', 'y', 'z\r\n', 'w\r'] });
  });

  it('are the same in whatever pieces the text comes', () => {
    const text = 'a,"b\r"\r\n"c""",d\r\n,"e\r\n"\n"f"\rg\n\rh';
    const whole = delimitedParser(',');
    const rows = [...whole.push(text), ...whole.end()];
    assert.deepEqual(
      rows.map(({ cells }) => cells),
      [['a', 'b\r'], ['c"', 'd'], ['', 'e\r\n'], ['f'], ['g'], ['h']],
    );
    assert.deepEqual(
      rows.map(({ line }) => line),
      [1, 3, 4, 6, 7, 9],
    );
    const parser = delimitedParser(',');
    assert.deepEqual([...[...text].flatMap((letter) => parser.push(letter)), ...parser.end()], rows);
  });

  it('have no spaces round texts and tags, as loggers write them behind commas', async () => {
    const { columns } = await read('Time, Lap, Note\n0.1, 1, a b\n0.2, 1,\n0.3, ,"  c"\n0.4, 2 , d\n');
    assert.deepEqual(columns, {
      'Lap [] tag': ['1', '1', null, '2'],
      'Note [] text': ['a b', null, '  c', 'd'],
    });
  });

  it('keep their spaces in what the service exported', async () => {
    const { columns } = await read('Timestamp,Note,TAG__Lap\n1, a, 1\n2,b ,2\n');
    assert.deepEqual(columns, { 'Note [] text': [' a', 'b '], 'Lap [] tag': [' 1', '2'] });
  });
});
