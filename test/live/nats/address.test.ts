import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { natsAddress } from '../../../src/live/nats/address.ts';

describe('the address of NATS', () => {
  it('holds servers, credentials and a prefix', () => {
    assert.deepEqual(natsAddress('nats://localhost', '--live'), {
      servers: ['localhost:4222'],
      shown: 'localhost:4222',
      isTls: false,
      user: undefined,
      password: undefined,
      token: undefined,
      prefix: 'pitwall',
    });
    const full = natsAddress('tls://us%40er:p%3Aa:ss%2F@a:1,[::1]:2/prod', '--live');
    assert.deepEqual(
      [full.servers, full.shown, full.isTls, full.user, full.password, full.prefix],
      [['a:1', '[::1]:2'], 'a:1,[::1]:2', true, 'us@er', 'p:a:ss/', 'prod'],
    );
    assert.equal(natsAddress('nats://secret@host', '--live').token, 'secret');
  });

  it('is refused in one line that does not show the password', () => {
    const wrong = [
      '',
      'host:4222',
      'http://h',
      'nats://',
      'nats://a b',
      'nats://u:hush@h/a/b',
      'nats://u:hush@h:x',
      'nats://hush%@h',
      'nats://u:hush@a,,b',
      'nats://u:hush@h?tls=1',
    ];
    for (const text of wrong) {
      assert.throws(
        () => natsAddress(text, '--live'),
        (error: Error) => /^--live must be like nats:/.test(error.message) && !error.message.includes('hush'),
        text,
      );
    }
  });
});
