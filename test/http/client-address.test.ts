import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressOf } from '../../src/http/client-address.ts';

describe('the address that connections are counted for', () => {
  for (const [remote, address] of [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['2001:0DB8:0001:2::9', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    [undefined, ''],
  ] as const) {
    it(`of ${remote} is ${address}`, () => assert.equal(addressOf(remote), address));
  }
});
