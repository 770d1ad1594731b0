import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { collectNodeMetrics } from '../src/loop-delay.ts';

describe('metrics of the event loop', () => {
  it('are of the delays since they were read last, under the usual names', async () => {
    const registry = new Registry();
    const tell = collectNodeMetrics(registry);
    for (const ms of [10, 10, 10, 90]) tell(ms);
    const read = async () => {
      const text = await registry.metrics();
      const lines = [...text.matchAll(/^nodejs_eventloop_lag_(\w+)_seconds (.*)$/gm)];
      return Object.fromEntries(lines.map(([, name, value]) => [name, Number(value).toFixed(3)]));
    };
    const { stddev, ...first } = await read();
    assert.deepEqual(first, {
      min: '0.010',
      max: '0.090',
      mean: '0.030',
      p50: '0.010',
      p90: '0.090',
      p99: '0.090',
    });
    assert.ok(Number(stddev) > 0);
    const nothing = { min: '0.000', max: '0.000', mean: '0.000', p50: '0.000', p90: '0.000', p99: '0.000' };
    assert.deepEqual(await read(), { ...nothing, stddev: '0.000' });
    const text = await registry.metrics();
    assert.match(text, /^process_resident_memory_bytes \d/m);
    assert.match(text, /^nodejs_eventloop_lag_seconds \d/m);
  });
});
