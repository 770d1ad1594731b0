import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Principal } from '../../../src/domain/principal.ts';
import { heldCredentials } from '../../../src/hub/connection/held-credentials.ts';

const principal: Principal = { tokenId: '1', workspace: 'default', scopes: ['read'] };

/** Credentials whose check takes until the test answers it, and what the connection ends with. */
function held() {
  const errors: unknown[] = [];
  let refuse: (error: Error) => void = () => {};
  const check = () =>
    new Promise((_resolve, reject) => {
      refuse = reject;
    });
  const credentials = heldCredentials(
    { principal, check },
    () => 0,
    (action) => {
      try {
        action();
      } catch (error) {
        errors.push(error);
      }
    },
  );
  credentials.tick(20_000);
  return { credentials, errors, refuse: () => refuse(new Error('expired')) };
}

describe('the credentials of a connection', () => {
  it('end it when they are found to be no longer valid', async () => {
    const { errors, refuse } = held();
    refuse();
    await new Promise(setImmediate);
    assert.equal(errors.length, 1);
  });

  it('do not end it when newer ones have come while they were looked up', async () => {
    const { credentials, errors, refuse } = held();
    credentials.renew({ principal, check: () => undefined });
    refuse();
    await new Promise(setImmediate);
    assert.deepEqual(errors, []);
  });
});
