import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Document } from '../../src/domain/document.ts';
import { PitwallError } from '../../src/errors.ts';
import { checkPreconditions, etagOf, namesWeakly } from '../../src/views/etag.ts';

const item: Document = { kind: 'view', topic: undefined, id: 'v', body: '[1]', updatedAt: 5 };
const tag = etagOf(item);

describe('entity tags of a view', () => {
  it('are compared as RFC 9110 has it: a weak one tells that nothing changed, and allows no change', () => {
    for (const list of [tag, `W/${tag}`, `"other", W/${tag}`, '*']) assert.ok(namesWeakly(list, item), list);
    for (const list of ['"other"', 'W/"other"']) assert.ok(!namesWeakly(list, item), list);
    checkPreconditions({ ifMatch: `"other", ${tag}`, ifNoneMatch: undefined }, item);
    assert.throws(
      () => checkPreconditions({ ifMatch: `W/${tag}`, ifNoneMatch: undefined }, item),
      PitwallError,
    );
    assert.throws(
      () => checkPreconditions({ ifMatch: undefined, ifNoneMatch: `W/${tag}` }, item),
      PitwallError,
    );
  });
});
