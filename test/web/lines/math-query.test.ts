import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ParameterDataQuery, RequestError } from '../../../src/client/client.ts';
import { named, withMath } from '../../../web/src/lines/math-query.ts';
import { problemText } from '../../../web/src/ui/problem-text.ts';

const channels = [
  { name: 'Good', expression: 'Speed * 2', unit: '' },
  { name: 'Bad', expression: 'nosuch(Speed)', unit: '' },
];
const query: ParameterDataQuery = {
  numericParameters: [{ parameterName: 'Good' }, { parameterName: 'Bad' }],
};

describe('the refusal of an expression', () => {
  it('says of which channel it is, once', async () => {
    const [path, message] = ['calculatedParameters[1].expression', 'at character 1: has nosuch(…)'];
    const refusal = new RequestError(400, { detail: `${path} ${message}`, errors: [{ path, message }] });
    const answer = named(withMath(query, channels), channels, Promise.reject(refusal));
    const error = await answer.catch((error: unknown) => error);
    assert.equal(problemText(error), 'The expression of “Bad” at character 1: has nosuch(…)');
  });

  it('stays as it is where it is of another one', async () => {
    const detail = 'calculatedParameters[7].expression is long';
    const answer = named(query, channels, Promise.reject(new RequestError(400, { detail })));
    assert.equal(problemText(await answer.catch((error: unknown) => error)), detail);
    const found = { path: 'from', message: 'is late' };
    const other = new RequestError(400, { detail: 'no', errors: [found] });
    assert.equal(problemText(other), 'no (from: is late)');
  });
});
