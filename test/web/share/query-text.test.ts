import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ParameterDataQuery } from '../../../src/client/client.ts';
import { queryTexts } from '../../../web/src/share/query-text.ts';

describe('the query to copy', () => {
  it('is the query, whatever letters its names and expressions have', () => {
    const query: ParameterDataQuery = {
      topic: "it's",
      streamIds: ['a\\b', '"'],
      from: -9_223_372_036_854_775_808n,
      calculatedParameters: [{ name: '\u2028', expression: 'Speed /\n\t3.6 + "\\" * 2' }],
    };
    const { typescript, javascript } = queryTexts('http://localhost', query);
    const written = /client\.query\((.*)\);$/s.exec(typescript)![1]!;
    assert.deepEqual(new Function(`return ${written}`)(), query);
    const body = /body: (.*),\n}\);/s.exec(javascript)![1]!;
    assert.deepEqual(JSON.parse(new Function(`return ${body}`)() as string), {
      ...query,
      from: String(query.from),
    });
  });
});
