import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Engine, engineMissing, startEngine } from '../clickhouse/engine.ts';
import { needsEngine } from '../extent.ts';
import { argsOf, compare, copy, fill, must } from './copy-world.ts';
import { launchNode, type StartingService, startService } from './service.ts';

describe('copy to and from ClickHouse', { skip: engineMissing || needsEngine }, () => {
  let engine: Engine;
  const launched: StartingService[] = [];
  before(async () => {
    engine = await startEngine();
  });
  after(async () => {
    await Promise.all(launched.map(({ stop }) => stop('SIGKILL')));
    await engine.stop();
  });

  it('gives the same answers there, and again where they come back', async () => {
    const source = await startService();
    const filled = await fill(source);
    const node = launchNode({ args: ['--store', engine.urlOf('copied')] });
    launched.push(node);
    const target = await node.ready;
    const args = argsOf(source.url, target);
    await copy(args);
    await compare(source, target, filled);
    await must(source, 'POST', '/streams/delete', { streamIds: ['far'] });
    assert.match(await copy(args), /1 streams are gone from the source/);
    await compare(source, target, filled);
    const back = await startService();
    await copy(argsOf(target.url, back));
    await compare(source, back, filled);
  });
});
