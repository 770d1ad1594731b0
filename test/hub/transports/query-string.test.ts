import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { queryOf } from '../../../src/hub/transports/query-string.ts';

describe('the query of an address of the hub', () => {
  it('has names without case, and of a name that repeats the first value', () => {
    const query = queryOf('/hub?NegotiateVersion=1&id=a&ID=b&flag&=x');
    assert.deepEqual(
      [...query],
      [
        ['negotiateversion', '1'],
        ['id', 'a'],
        ['flag', ''],
      ],
    );
  });

  it('decodes values, but leaves a plus: it stands in tokens', () => {
    assert.equal(queryOf('/hub?access_token=a%2Bb+c%3D=').get('access_token'), 'a+b+c==');
  });

  it('takes what cannot be decoded as it is', () => {
    assert.equal(queryOf('/hub?id=%E0%A4%A').get('id'), '%E0%A4%A');
    assert.equal(queryOf('/hub').size, 0);
  });
});
