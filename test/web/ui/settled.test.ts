import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signal } from '@preact/signals';
import { settled } from '../../../web/src/ui/settled.ts';
import { until } from '../../until.ts';

describe('a settled signal', () => {
  it('waits for steps of many, and takes a first value and a jump at once', async () => {
    const steps = new Set([2, 3]);
    const source = signal<number | undefined>(undefined);
    const rested = settled(source, 20, (value) => value !== undefined && steps.has(value));
    source.value = 1;
    assert.equal(rested.value, 1);
    source.value = 2;
    source.value = 3;
    assert.equal(rested.value, 1);
    await until(() => rested.value !== 1);
    assert.equal(rested.value, 3);
    source.value = 2;
    source.value = 4;
    assert.equal(rested.value, 4);
  });
});
