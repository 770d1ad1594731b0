import assert from 'node:assert/strict';
import type { Answer } from '../../../src/store/store.ts';

/** A listing of few streams, which the store gives at once. */
export function listed<Listing>(answer: Answer<Listing>): Listing {
  assert.ok(!(answer instanceof Promise), 'a listing of few streams came later');
  return answer;
}
