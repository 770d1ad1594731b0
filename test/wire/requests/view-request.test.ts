import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { PitwallError } from '../../../src/errors.ts';
import { decodeViewRequest, maxStateBytes, maxViewStreams } from '../../../src/wire/requests/view-request.ts';

const decode = (text: string) => decodeViewRequest(Buffer.from(text), 'v');
const stateOf = (json: string) => decode(`{"name":"v","state":${json}}`).state;

function isRefused(text: string, code: string): void {
  assert.throws(
    () => decode(text),
    (error) => error instanceof PitwallError && error.code === code,
  );
}

describe('the body of a view', () => {
  it('keeps any state as it was written, but for white space', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        assert.equal(stateOf(json), json);
        assert.deepEqual(JSON.parse(stateOf(JSON.stringify(value, undefined, 2))), JSON.parse(json));
      }),
    );
    for (const json of ['1591733989000000001', '-0', '1.50e+3', '{"__proto__":[],"":{}}', '"\\ud83c\\udfce"'])
      assert.deepEqual([JSON.parse(stateOf(json)), stateOf(json).length > 0], [JSON.parse(json), true]);
    assert.equal(stateOf('[ 1591733989000000001 , 1.50e+3, -0]'), '[1591733989000000001,1.50e+3,-0]');
    assert.equal(decode('{"name":"v"}').state, 'null');
  });

  it('has a state of 64 KiB at most, in bytes of UTF-8, and 1,000 streams', () => {
    const longest = `"${'x'.repeat(maxStateBytes - 2)}"`;
    assert.equal(stateOf(longest), longest);
    assert.equal(stateOf(`  ${longest}  `), longest);
    isRefused(`{"name":"v","state":${longest.replace('x', 'xx')}}`, 'body_too_large');
    isRefused(`{"name":"v","state":"${'ü'.repeat(maxStateBytes / 2)}"}`, 'body_too_large');
    isRefused(`{"name":"v","state":[${'[],'.repeat(40_000)}1]}`, 'body_too_large');
    const ids = Array.from({ length: maxViewStreams }, (_, i) => `s${i}`);
    const body = (streamIds: readonly string[]) => JSON.stringify({ name: 'v', streamIds });
    assert.deepEqual(decode(body(ids)).streamIds, ids);
    isRefused(body([...ids, 'more']), 'invalid_value');
  });
});
