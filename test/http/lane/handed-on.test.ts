import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import type { Admission } from '../../../src/auth/admit.ts';
import { PitwallError } from '../../../src/errors.ts';
import { createHandedOn } from '../../../src/http/lane/handed-on.ts';

describe('what the lane hands on', () => {
  const route = { path: '/a', scope: 'write' } as const;
  const shown = { authorization: 'Bearer a', host: 'b' };
  const refused = (): Promise<Admission> => Promise.reject(new PitwallError('unauthorized'));

  it('is taken once, by the request of which it is', async () => {
    const handedOn = createHandedOn();
    const socket = new Socket();
    assert.equal(handedOn.take(socket, route, shown), undefined);
    handedOn.put(socket, route, shown, refused());
    await assert.rejects(async () => handedOn.take(socket, route, { ...shown }), PitwallError);
    assert.equal(handedOn.take(socket, route, shown), undefined);
  });

  it('is never taken by another request: of another token, host, route or connection', () => {
    for (const [otherRoute, other] of [
      [route, { ...shown, authorization: 'Bearer b' }],
      [route, { ...shown, host: 'c' }],
      [{ ...route }, shown],
    ] as const) {
      const handedOn = createHandedOn();
      const socket = new Socket();
      handedOn.put(socket, route, shown, refused());
      assert.equal(handedOn.take(new Socket(), route, shown), undefined);
      assert.equal(handedOn.take(socket, otherRoute, other), undefined);
      assert.equal(handedOn.take(socket, route, shown), undefined);
    }
  });
});
