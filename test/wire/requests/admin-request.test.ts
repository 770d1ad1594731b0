import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decodeTokenRequest,
  decodeWorkspaceRequest,
  decodeWorkspaceSettings,
} from '../../../src/wire/requests/admin-request.ts';
import { assertFault, bytesOf } from '../faults.ts';

const token = (text: string) => decodeTokenRequest(bytesOf(text));
const workspace = (text: string) => decodeWorkspaceRequest(bytesOf(text));

test('reads a request for a token', () => {
  assert.deepEqual(
    token('{"workspace":"w","scopes":["read","Write","read"],"expires":"2030-01-01T00:00:00Z","name":"n"}'),
    {
      workspace: 'w',
      scopes: ['read', 'write'],
      expires: Date.UTC(2030, 0, 1),
      name: 'n',
    },
  );
  assert.deepEqual(token('{"scopes":["admin"]}'), { scopes: ['admin'] });
});

test('names what is wrong with a request for a token', () => {
  assertFault(() => token(''), 'bad_json', '');
  assertFault(() => token('{}'), 'missing_property', 'scopes');
  assertFault(() => token('{"scopes":[]}'), 'missing_property', 'scopes');
  assertFault(() => token('{"scopes":["read","root"]}'), 'invalid_value', 'scopes[1]', 'read, write, admin');
  assertFault(() => token('{"scopes":["read"],"expires":"soon"}'), 'invalid_value', 'expires');
  assertFault(() => token('{"scope":["read"]}'), 'unknown_property', '', '"scopes"');
});

test('reads a workspace and its settings', () => {
  assert.deepEqual(workspace('{"name":"w","retention":"30d","maxStreams":5,"maxBytes":1000000000000}'), {
    name: 'w',
    retention: 30n * 86_400_000_000_000n,
    maxStreams: 5,
    maxBytes: 1e12,
  });
  assert.deepEqual(workspace('{"name":"w"}'), { name: 'w' });
  assert.deepEqual(decodeWorkspaceSettings(bytesOf('')), {});
});

test('reads ages in every unit', () => {
  const seconds = { s: 1n, m: 60n, h: 3600n, d: 86_400n, w: 604_800n, y: 31_536_000n };
  for (const [unit, length] of Object.entries(seconds)) {
    const { retention } = decodeWorkspaceSettings(bytesOf(`{"retention":"12${unit}"}`));
    assert.equal(retention, 12n * length * 1_000_000_000n);
  }
});

test('names what is wrong with a workspace', () => {
  assertFault(() => workspace('{}'), 'missing_property', 'name');
  assertFault(() => workspace('{"name":""}'), 'bad_name', 'name');
  for (const retention of ['', '30', 'd', '0d', '-1d', '1.5d', '1D', '1 d', '300y']) {
    assertFault(() => workspace(JSON.stringify({ name: 'w', retention })), 'invalid_value', 'retention');
  }
  assertFault(() => workspace('{"name":"w","retention":30}'), 'wrong_type', 'retention');
  assertFault(() => workspace('{"name":"w","maxStreams":0}'), 'invalid_value', 'maxStreams');
  assertFault(() => workspace('{"name":"w","maxBytes":-5}'), 'invalid_value', 'maxBytes');
});
