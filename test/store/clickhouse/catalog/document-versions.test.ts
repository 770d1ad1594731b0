import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  documentVersions,
  forgottenLastsNs,
} from '../../../../src/store/clickhouse/catalog/document-versions.ts';

describe('versions of kept documents', () => {
  it('of forgotten ones are remembered for an hour, of others as long as they are there', () => {
    const versions = documentVersions();
    const step = forgottenLastsNs / 100n;
    versions.put('w', 'stays', 1n, true);
    for (let i = 1n; i <= 10_000n; i++) {
      versions.put('w', `message ${i}`, i * step, true);
      versions.put('w', `message ${i}`, i * step + 1n, false);
    }
    const messages = Array.from({ length: 10_000 }, (_, i) => versions.of('w', `message ${i + 1}`));
    const remembered = messages.filter((version) => version !== 0n).length;
    assert.ok(remembered < 110, String(remembered));
    assert.equal(versions.of('w', 'stays'), 1n);
    assert.equal(versions.of('w', 'message 10000'), 10_000n * step + 1n);
    assert.equal(versions.of('w', 'message 9950'), 9950n * step + 1n);
    assert.equal(versions.of('w', 'message 9000'), 0n);
  });

  it('of what was forgotten long ago are not remembered again by a look at all that there is', () => {
    const versions = documentVersions();
    versions.put('w', 'new', 2n * forgottenLastsNs, true);
    versions.put('w', 'old', 1n, false);
    assert.equal(versions.of('w', 'old'), 0n);
  });

  it('go with their workspace, those that are not newer', () => {
    const versions = documentVersions();
    versions.put('w', 'a', 1n, true);
    versions.put('w', 'b', 2n, false);
    versions.put('w', 'c', 3n, true);
    versions.put('other', 'a', 1n, true);
    versions.forget('w', 2n);
    assert.deepEqual([versions.of('w', 'a'), versions.of('w', 'b'), versions.of('w', 'c')], [0n, 0n, 3n]);
    assert.equal(versions.of('other', 'a'), 1n);
    assert.deepEqual([...versions.olderThan(3n)], [['other', 'a']]);
  });
});
