import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  handshakeAccepted,
  handshakeError,
  readHandshake,
} from '../../../src/hub/protocol/handshake-protocol.ts';

const options = {
  int64AsString: false,
  maxDepth: 64,
  maxArguments: 3,
  maxJsonBytes: 2 ** 26,
  textOnly: false,
};

function read(text: string, extra: Partial<typeof options> = {}) {
  return readHandshake(Buffer.from(text), { ...options, ...extra }).name;
}

describe('the handshake', () => {
  it('takes both protocols, in the versions that clients send', () => {
    assert.equal(read('{"protocol":"json","version":1}'), 'json');
    assert.equal(read('{"version":0,"protocol":"messagepack","more":[1]}'), 'messagepack');
    assert.equal(read('{"protocol":"json","version":2}'), 'json');
  });

  it('refuses other protocols and versions in the words that clients know', () => {
    assert.throws(() => read('{"protocol":"xml","version":1}'), {
      message: "The protocol 'xml' is not supported.",
    });
    assert.throws(() => read('{"protocol":"json","version":99}'), {
      message: "The server does not support version 99 of the 'json' protocol.",
    });
    assert.throws(() => read('{"protocol":"messagepack","version":1}', { textOnly: true }), {
      message:
        "Cannot use the 'messagepack' protocol on the current transport. The transport does not support 'Binary' transfer format.",
    });
  });

  it('refuses what is no handshake', () => {
    for (const text of [
      '',
      'x',
      '[]',
      '{}',
      '{"type":6}',
      '{"protocol":"json"}',
      '{"protocol":1,"version":1}',
      '{"protocol":"json","version":"1"}',
    ]) {
      assert.throws(() => read(text), /must be a handshake request/, text);
    }
  });

  it('answers without a type', () => {
    assert.equal(String(handshakeAccepted), '{}\u001e');
    assert.equal(String(handshakeError('why')), '{"error":"why"}\u001e');
  });
});
