import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../root.ts';

/** What runs in every service: itself, and its threads. */
const used = [
  'pitwall.cjs',
  'serving.cjs',
  'store-embedded-maintenance-background-worker.cjs',
  'store-embedded-threads-read-worker.cjs',
];

describe('what the build keeps of the compiled code', () => {
  it('is of the service and of its threads, for one release of Node.js', () => {
    const kept = readdirSync(join(root, 'dist/bundle/cache'));
    const releases = new Set(kept.map((name) => name.split('-').at(-1)));
    assert.ok(
      [...releases].some((one) => used.every((name) => kept.includes(`${name}-${one}`))),
      kept.join(', '),
    );
  });
});
