import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { DocumentKind } from '../../../src/domain/document.ts';
import { PitwallError } from '../../../src/errors.ts';
import { maxStateBytes, maxStates } from '../../../src/ingest/alerts/rule-states.ts';
import { createCalculatedKeeper } from '../../../src/ingest/calculated-keeper.ts';
import { pickRows } from '../../../src/store/calculated/pick-rows.ts';
import type { EmbeddedStore } from '../../../src/store/embedded/store.ts';
import type { Store } from '../../../src/store/store.ts';
import { longBodyBytes } from '../../../src/wire/json/in-slices.ts';
import { decodeStoredRule } from '../../../src/wire/requests/alert-rule.ts';
import { type PlainRow, plainChanges } from '../../alerts/reference.ts';
import { forSeeds, type Random } from '../../store/embedded/random.ts';
import { storeFolder } from '../../store/embedded/store-folder.ts';
import { type AlertsService, alertsService } from './alerts-service.ts';
import { copyAsKilled } from './copy-as-killed.ts';

const folder = storeFolder('alerts');
const now = () => folder.now;
const workspace = { name: 'w', createdAt: 0 };

async function open(dataDir = folder.directory): Promise<{ store: EmbeddedStore; service: AlertsService }> {
  const store = await folder.open({ dataDir });
  if (store.catalog.workspace('w') === undefined)
    await store.append({ workspace: 'w', changes: [{ type: 'workspace', workspace }] });
  return { store, service: alertsService(store, now) };
}

/** The same rows in blocks of so many. */
function inBlocks(store: Store, size: number): Store {
  return {
    ...store,
    async *run(...asked) {
      for await (const block of store.run(...asked))
        for (let from = 0; from < block.count; from += size)
          yield pickRows(
            block,
            Uint32Array.from({ length: Math.min(size, block.count - from) }, (_, i) => from + i),
          );
    },
  };
}

/** As if so many more documents of a kind were kept. */
function nearlyFull(store: Store, kind: DocumentKind, count: number): Store {
  const catalog = { ...store.catalog };
  catalog.documentCount = (workspace, asked) =>
    store.catalog.documentCount(workspace, asked) + (asked === kind ? count : 0);
  return { ...store, catalog };
}

const hot = { expression: 'a > 5', for: '2ns', clear: 'b < 3' };

describe('alert rules', () => {
  it('write the events of the plain rule once, over repeats, failed writes, restarts and kills', async () => {
    await forSeeds(1, 4, async (random, seed) => {
      let dataDir = `${folder.root}/data-${seed}`;
      let { store, service } = await open(dataDir);
      await service.put('hot', hot);
      const writes = new Map<string, PlainRow[][]>();
      const goOn = async () => {
        ({ store, service } = await open(dataDir));
      };
      let time = 0n;
      for (let step = 0; step < 60; step++) {
        folder.now++;
        const chance = random.next();
        if (chance < 0.05) {
          await folder.close(store);
          await goOn();
        } else if (chance < 0.1) {
          copyAsKilled(dataDir, `${dataDir}+`);
          await folder.close(store);
          dataDir += '+';
          await goOn();
        } else if (chance < 0.2) {
          const failing = alertsService(refusing(store), now);
          await assert.rejects(failing.write('s0', payloadOf(someRows(random, time + 20n))), PitwallError);
        } else {
          // Several at once, also of one stream: they go to the store in the order of the calls.
          const going = Array.from({ length: random.int(1, 4) }, () => {
            const streamId = `s${random.int(0, 2)}`;
            const earlier = writes.get(streamId) ?? [];
            writes.set(streamId, earlier);
            const isRepeat = earlier.length > 0 && random.chance(0.2);
            const rows = isRepeat ? earlier[random.int(0, earlier.length - 1)]! : someRows(random, time);
            earlier.push(rows);
            time += 3n;
            return service.write(streamId, payloadOf(rows));
          });
          await Promise.all(going);
        }
      }
      let events = 0;
      for (const [streamId, list] of writes) {
        const wanted = plainChanges(
          {
            isTrue: ({ a }) => (a === undefined ? undefined : a > 5),
            clears: ({ b }) => (b === undefined ? undefined : b < 3),
            forNs: 2n,
          },
          list,
        );
        events += wanted.length;
        const found = await service.events('hot', streamId);
        assert.deepEqual(
          found,
          wanted.map((change) => `${change.state} ${change.time}`),
          `stream ${streamId}, seed ${seed}`,
        );
      }
      assert.ok(events > 5, `${events} events`);
    });
  });

  it('tell live readers of each event once, after the rows', async () => {
    const { service } = await open();
    await service.put('hot', { expression: 'a > 5' });
    const payload = { timestamps: [1, 2, 3], numericValues: { a: [9, 9, 1] } };
    await service.write('s', payload);
    await service.write('s', payload);
    await turn();
    const told = service.published.map(({ content }) => content?.type);
    assert.deepEqual(told, ['parameterData', 'eventDefinitions', 'eventData', 'parameterData']);
    const content = service.published[2]!.content;
    assert.ok(content?.type === 'eventData');
    assert.deepEqual(
      content.events.map(({ id, timestamp, tags, value }) => [id, timestamp, tags.key, value]),
      [
        ['alert:hot', 1n, '[["state","firing"]]', '{"values":{"a":9}}'],
        ['alert:hot', 3n, '[["state","resolved"]]', '{"values":{"a":1}}'],
      ],
    );
  });

  it('stay out of a write that the store refuses: when it is repeated it says what it would have said', async () => {
    const { store, service } = await open();
    await service.put('hot', { expression: 'a > 5' });
    const payload = { timestamps: [1], numericValues: { a: [9] } };
    let isFull = true;
    const full = alertsService(
      {
        ...store,
        append: (batch) => (isFull ? Promise.reject(new PitwallError('disk_full')) : store.append(batch)),
      },
      now,
    );
    await assert.rejects(full.write('s', payload), PitwallError);
    isFull = false;
    await full.write('s', payload);
    assert.deepEqual(await full.events('hot', 's'), ['firing 1']);
  });

  it('see a long body as a short one, and what is written to its stream while it is decoded', async () => {
    const { service } = await open();
    await service.put('hot', { expression: 'a > 5' });
    const count = 60_000;
    const timestamps = Array.from({ length: count }, (_, i) => 10 + i);
    const body = Buffer.from(
      JSON.stringify({
        timestamps,
        numericValues: { a: timestamps.map((at) => (at % 20_000 < 10_000 ? 9 : 1)) },
      }),
    );
    assert.ok(body.length >= longBodyBytes);
    const long = service.writer.parameterData(
      { workspace: 'w', topic: 't', streamId: 's', signal: () => new AbortController().signal },
      body,
    );
    for (let at = 1; at < 8; at++) {
      await service.write('s', { timestamps: [at], numericValues: { a: [at % 2 === 0 ? 9 : 1] } });
      await turn();
    }
    await long;
    const found = await service.events('hot', 's');
    // Whichever was first: of rows that came after later ones nothing is said.
    assert.ok(found.length >= 6, String(found));
    for (const [i, event] of found.entries()) assert.match(event, i % 2 === 0 ? /^firing / : /^resolved /);
    assert.deepEqual(found.slice(-2), ['resolved 50000', 'firing 60000']);
  });

  it('go on firing when they are worded anew, and are over by the new wording', async () => {
    const { service } = await open();
    await service.put('hot', { expression: 'a > 5' });
    await service.write('s', { timestamps: [1], numericValues: { a: [9] } });
    await service.put('hot', { expression: 'a > 100' });
    await service.write('s', { timestamps: [2], numericValues: { a: [200] } });
    assert.deepEqual(await service.events('hot', 's'), ['firing 1']);
    await service.write('s', { timestamps: [3], numericValues: { a: [9] } });
    assert.deepEqual(await service.events('hot', 's'), ['firing 1', 'resolved 3']);
  });

  it('begin a run of true rows anew with a new wording', async () => {
    const { service } = await open();
    await service.put('hot', { expression: 'a > 5', for: '3ns' });
    await service.write('s', { timestamps: [1, 2], numericValues: { a: [9, 9] } });
    await service.put('hot', { expression: 'a > 6', for: '3ns' });
    await service.write('s', { timestamps: [4, 5, 6, 7], numericValues: { a: [9, 9, 9, 9] } });
    assert.deepEqual(await service.events('hot', 's'), ['firing 7']);
  });

  it('have a number for each wording, also where several come at once', async () => {
    const { store } = await open();
    const revisions: number[] = [];
    const append: Store['append'] = async (batch) => {
      for (const change of batch.changes)
        if (change.type === 'keep') revisions.push(decodeStoredRule(change.body).revision);
      await store.append(batch);
    };
    const service = alertsService({ ...store, append }, now);
    await service.put('hot', { expression: 'a > 5' });
    await Promise.all([6, 7, 8].map((least) => service.put('hot', { expression: `a > ${least}` })));
    assert.equal(new Set(revisions).size, 4, String(revisions));
  });

  it('are not made in a workspace that is gone', async () => {
    const { store, service } = await open();
    await store.append({ workspace: 'default', changes: [{ type: 'removeWorkspace', name: 'w' }] });
    await assert.rejects(service.put('hot', hot), (error: PitwallError) => error.code === 'forbidden');
    assert.equal(store.catalog.documentCount('w', 'alert'), 0);
  });

  it('begin anew where they are removed and made again, and where their stream is removed for good', async () => {
    const { service } = await open();
    const rule = { expression: 'a > 5' };
    await service.put('hot', rule);
    await service.write('s', { timestamps: [10], numericValues: { a: [9] } });
    await service.admin.remove('w', 't', 'hot');
    await service.put('hot', rule);
    assert.deepEqual(await service.queries.list('w', {}), []);
    await service.write('s', { timestamps: [11], numericValues: { a: [9] } });
    assert.deepEqual(await service.events('hot', 's'), ['firing 10', 'firing 11']);
    await service.writer.changeStreams('w', 'hardDelete', { streamIds: ['s'] });
    assert.deepEqual(await service.queries.list('w', {}), []);
    await service.write('s', { timestamps: [5], numericValues: { a: [9] } });
    assert.deepEqual(await service.events('hot', 's'), ['firing 5']);
  });

  it('begin anew with a stream that is written to while it is removed for good', async () => {
    const { service } = await open();
    await service.put('hot', { expression: 'a > 5' });
    await service.put('cold', { expression: 'b < 3' });
    const rows = (at: number) => ({ timestamps: [at], numericValues: { a: [9], b: [1] } });
    await service.write('s', rows(10));
    const removed = service.writer.changeStreams('w', 'hardDelete', { streamIds: ['s'] });
    const written = service.write('s', { timestamps: [5], numericValues: { a: [9] } });
    await Promise.all([removed, written]);
    assert.deepEqual(await service.events('hot', 's'), ['firing 5']);
    await service.write('s', rows(6));
    assert.deepEqual(await service.events('hot', 's'), ['firing 5']);
    assert.deepEqual(await service.events('cold', 's'), ['firing 6']);
  });

  it('begin anew with a stream that is removed for good while a long write to it is judged', async () => {
    for (const streams of [1, 600]) {
      const { store } = await open(`${folder.directory}-${streams}`);
      let removing: (() => Promise<number>) | undefined;
      let removed: Promise<number> | undefined;
      // It is removed when the write was judged and has no place yet.
      const append: Store['append'] = (batch) => {
        removed ??= removing?.();
        return store.append(batch);
      };
      const service = alertsService({ ...store, append }, now);
      await service.put('hot', { expression: 'a > 5' });
      await service.put('cold', { expression: 'b < 3' });
      await service.put('moved', { expression: 'a > 5', streams: { location: '/moved' } });
      const long = async (written: readonly object[]) => {
        const others = Array.from({ length: streams }, (_, i) => ({
          ...written[0]!,
          streamId: `other ${i}`,
        }));
        const body = Buffer.from(`${JSON.stringify([...written, ...others])}${' '.repeat(longBodyBytes)}`);
        await service.writer.parameterDataBatch(
          { workspace: 'w', topic: 't', signal: () => new AbortController().signal },
          body,
        );
      };
      const state = (rule: string, streamId: string) =>
        store.catalog.document('w', 'alertState', 't', `${rule}\n${streamId}`);
      await service.writer.updateStream(
        { workspace: 'w', topic: 't', streamId: 'all' },
        Buffer.from('{"location": "/moved"}'),
      );
      for (const streamId of ['all', 'some', 'none'])
        await service.write(streamId, { timestamps: [10], numericValues: { a: [9], b: [1] } });
      assert.ok(state('moved', 'all') && state('cold', 'none'));
      removing = () =>
        service.writer.changeStreams('w', 'hardDelete', { streamIds: ['all', 'some', 'none'] });
      await long([
        { streamId: 'all', timestamps: [5], numericValues: { a: [9], b: [1] } },
        { streamId: 'some', timestamps: [5], numericValues: { a: [9] } },
        { streamId: 'none', timestamps: [5], numericValues: { c: [9] } },
      ]);
      assert.equal(await removed, 3);
      const events = async (streamId: string) => [
        await service.events('hot', streamId),
        await service.events('cold', streamId),
        await service.events('moved', streamId),
      ];
      assert.deepEqual(await events('all'), [['firing 5'], ['firing 5'], []]);
      assert.deepEqual(await events('some'), [['firing 5'], [], []]);
      assert.deepEqual(await events('none'), [[], [], []]);
      assert.deepEqual(
        ['hot', 'cold', 'moved'].map((rule) =>
          ['all', 'some', 'none'].filter((streamId) => state(rule, streamId) !== undefined),
        ),
        [['all', 'some'], ['all'], []],
      );
    }
  });

  it('have nothing more to tell a webhook of a stream that was removed for good, but of the next one', async () => {
    const { store } = await open();
    const service = alertsService(store, now, '127.0.0.1');
    await service.put('hot', { expression: 'a > 5', webhook: { url: 'http://127.0.0.1/' } });
    await service.write('s', { timestamps: [10], numericValues: { a: [9] } });
    folder.now++;
    const removed = service.writer.changeStreams('w', 'hardDelete', { streamIds: ['s'] });
    const written = service.write('s', { timestamps: [5], numericValues: { a: [9] } });
    await Promise.all([removed, written]);
    const [left, ...more] = store.catalog.documents('w', 'webhookMessage');
    assert.deepEqual(more, []);
    assert.match(left!.body, /\\"time\\":5,/);
  });

  it('begin anew with a stream of a name that was removed for good, though the service ended on the way', async () => {
    const { store } = await open();
    // It removes the stream, and comes no further.
    const append: Store['append'] = async (batch) => {
      if (batch.changes.some(({ type }) => type === 'forget')) throw new PitwallError('storage_failed');
      await store.append(batch);
    };
    const ending = alertsService({ ...store, append }, now);
    for (const name of ['hot', 'seen']) await ending.put(name, { expression: 'a > 5', noDataFor: '1s' });
    for (const streamId of ['rows', 'properties', 'long'])
      await ending.write(streamId, { timestamps: [10], numericValues: { a: [9] } });
    await ending.writer.changeStreams('w', 'hardDelete', { topic: 't' });
    assert.equal(store.catalog.documentCount('w', 'alertState'), 6);

    const service = alertsService(store, now);
    assert.deepEqual(await service.queries.list('w', {}), []);
    await service.put('seen', { expression: 'b > 5' });
    await service.writer.updateStream(
      { workspace: 'w', topic: 't', streamId: 'properties' },
      Buffer.from('{}'),
    );
    await service.write('rows', { timestamps: [1], numericValues: { c: [9] } });
    assert.equal(store.catalog.documentCount('w', 'alertState'), 2);
    const body = Buffer.from(`{"timestamps": [5], "numericValues": {"a": [9]}}${' '.repeat(longBodyBytes)}`);
    const signal = () => new AbortController().signal;
    await service.writer.parameterData({ workspace: 'w', topic: 't', streamId: 'long', signal }, body);
    assert.deepEqual(await service.events('hot', 'long'), ['firing 5']);
    assert.equal(store.catalog.documentCount('w', 'alertState'), 1);
    for (const streamId of ['rows', 'properties']) {
      await service.write(streamId, { timestamps: [5], numericValues: { a: [9] } });
      assert.deepEqual(await service.events('hot', streamId), ['firing 5']);
    }
  });

  it('take no room for rules and streams that are gone, though the service ended before they were forgotten', async () => {
    const { store } = await open();
    // It removes rule and stream, and comes no further.
    const append: Store['append'] = async (batch) => {
      const isLate = batch.changes.some((change) => change.type === 'forget' && change.kind === 'alertState');
      if (isLate) throw new PitwallError('storage_failed');
      await store.append(batch);
    };
    const ending = alertsService({ ...store, append }, now);
    for (const name of ['gone', 'again', 'stays']) await ending.put(name, { expression: 'a > 5' });
    for (const streamId of ['s', 'gone'])
      await ending.write(streamId, { timestamps: [10], numericValues: { a: [9] } });
    for (const name of ['gone', 'again']) await ending.admin.remove('w', 't', name);
    await ending.put('again', { expression: 'a > 5' });
    await ending.write('s', { timestamps: [20], numericValues: { a: [9] } });
    await ending.writer.changeStreams('w', 'hardDelete', { streamIds: ['gone'] });
    assert.equal(store.catalog.documentCount('w', 'alertState'), 6);

    const service = alertsService(store, now);
    await service.silence.tick();
    const left = store.catalog.documents('w', 'alertState').map(({ id }) => id);
    assert.deepEqual(left, ['again\ns', 'stays\ns']);
    const firing = (await service.queries.list('w', {})).map(({ name, streamId }) => `${name} ${streamId}`);
    assert.deepEqual(firing, ['again s', 'stays s']);
  });

  it('keep what they remember where they are made again while they are removed', async () => {
    const { store } = await open();
    let meanwhile = async () => {};
    const append: Store['append'] = async (batch) => {
      await store.append(batch);
      if (
        batch.changes.some(
          ({ type, ...named }) => type === 'forget' && 'kind' in named && named.kind === 'alertState',
        )
      )
        await meanwhile();
    };
    const service = alertsService({ ...store, append }, now);
    await service.put('hot', { expression: 'a > 5' });
    const rows = { timestamps: [1], numericValues: { a: [9] } };
    // More than are forgotten in one record; what is written last is forgotten last.
    const others = Array.from({ length: 600 }, (_, i) => ({ streamId: `left${i}`, ...rows }));
    await service.writer.parameterDataBatch(
      { workspace: 'w', topic: 't' },
      Buffer.from(JSON.stringify(others)),
    );
    await service.write('s', rows);
    let times = 0;
    meanwhile = async () => {
      if (times++ > 0) return;
      await service.put('hot', { expression: 'a > 5' });
      await service.write('s', { timestamps: [2], numericValues: { a: [9] } });
    };
    await service.admin.remove('w', 't', 'hot');
    assert.equal(times, 2);
    const firing = (await service.queries.list('w', {})).map(({ streamId }) => streamId);
    assert.deepEqual(firing, ['s']);
    assert.equal(store.catalog.documentCount('w', 'alertState'), 1);
  });

  it('keep what they remember where they are worded anew while they are removed', async () => {
    const { store } = await open();
    let isRemoving = false;
    let isWordedAnew = false;
    let others: Promise<unknown> | undefined;
    const append: Store['append'] = async (batch) => {
      const kinds = batch.changes.map((change) => ('kind' in change ? `${change.type} ${change.kind}` : ''));
      if (isRemoving && kinds.includes('keep alert')) isWordedAnew = true;
      const appending = store.append(batch);
      if (kinds.includes('forget alert')) {
        others = service
          .put('hot', { expression: 'a > 6' })
          .then(() => service.write('s', { timestamps: [2], numericValues: { a: [9] } }));
        await appending;
        // It did not wait for the removal.
        if (isWordedAnew) await others;
      }
      await appending;
    };
    const service = alertsService({ ...store, append }, now);
    await service.put('hot', { expression: 'a > 5' });
    await service.write('s', { timestamps: [1], numericValues: { a: [9] } });
    isRemoving = true;
    await service.admin.remove('w', 't', 'hot');
    await others;
    await service.write('s', { timestamps: [3], numericValues: { a: [9] } });
    assert.deepEqual(await service.events('hot', 's'), ['firing 1', 'firing 2']);
    const firing = (await service.queries.list('w', {})).map(({ streamId }) => streamId);
    assert.deepEqual(firing, ['s']);
  });

  it('of a newer version are told of as such, and can be removed and replaced', async () => {
    const { store, service } = await open();
    await service.put('hot', { expression: 'a > 5' });
    const newer = (id: string) =>
      ({ type: 'keep', kind: 'alert', topic: 't', id, body: '{"version":2}' }) as const;
    await store.append({ workspace: 'w', changes: [newer('cold'), newer('wet')] });
    assert.deepEqual(
      (await service.admin.list('w', 't')).map(({ name }) => name),
      ['hot'],
    );
    const failed = (await service.queries.list('w', {})).map(({ name, state }) => `${name} ${state}`);
    assert.deepEqual(failed.sort(), ['cold failed', 'wet failed']);
    await service.admin.remove('w', 't', 'cold');
    await service.put('wet', { expression: 'a > 5' });
    await service.write('s', { timestamps: [1], numericValues: { a: [9] } });
    assert.deepEqual(await service.events('wet', 's'), ['firing 1']);
    assert.equal(store.catalog.documentCount('w', 'alert'), 2);
  });

  it('watch the streams that their filter selects, as properties are when rows come', async () => {
    const { service } = await open();
    await service.put('hot', { expression: 'a > 5', streams: { metadata: [{ key: 'car', value: '7' }] } });
    await service.put('some', { expression: 'a > 5', streams: { streamIds: ['one', 'two'] } });
    const row = (at: number) => ({ timestamps: [at], numericValues: { a: [9] } });
    for (const streamId of ['one', 'three']) await service.write(streamId, row(1));
    const properties = Buffer.from(JSON.stringify({ metadata: { car: '7' } }));
    await service.writer.updateStream({ workspace: 'w', topic: 't', streamId: 'one' }, properties);
    await service.write('one', row(2));
    assert.deepEqual(await service.events('hot', 'one'), ['firing 2']);
    assert.deepEqual(await service.events('some', 'one'), ['firing 1']);
    assert.deepEqual(await service.events('hot', 'three'), []);
    assert.deepEqual(await service.events('some', 'three'), []);
  });

  it('tell of a rule that changes too often in one write, and the write is taken', async () => {
    const { service } = await open();
    await service.put('hot', { expression: 'a > 5' });
    await service.put('calm', { expression: 'a > 5', for: '10ns' });
    const timestamps = Array.from({ length: 20_000 }, (_, i) => i);
    await service.write('s', { timestamps, numericValues: { a: timestamps.map((at) => (at % 2) * 9) } });
    assert.deepEqual(await service.events('hot', 's'), []);
    const [problem, ...others] = await service.queries.list('w', {});
    assert.deepEqual([problem?.name, problem?.state, others.length], ['hot', 'failed', 0]);
    assert.match(String(problem?.['problem']), /too often/);
  });

  it('that failed are no more told of where they are worded anew, made again, or their stream is deleted', async () => {
    const { service } = await open();
    const timestamps = Array.from({ length: 10_000 }, (_, i) => i);
    const numericValues = { a: timestamps.map((at) => (at % 2) * 9) };
    const failed = async () => (await service.queries.list('w', {})).map(({ streamId }) => streamId);
    const fail = async (streamId: string) => {
      await service.put('hot', { expression: 'a > 5' });
      await service.write(streamId, { timestamps, numericValues });
      assert.deepEqual(await failed(), [streamId]);
    };
    await fail('s1');
    await service.put('hot', { expression: 'a > 5', for: '10ns' });
    assert.deepEqual(await failed(), []);
    await fail('s2');
    await service.admin.remove('w', 't', 'hot');
    await service.put('hot', { expression: 'a > 7' });
    assert.deepEqual(await failed(), []);
    await fail('s3');
    await service.writer.changeStreams('w', 'softDelete', { streamIds: ['s3'] });
    assert.deepEqual(await failed(), []);
    await service.writer.changeStreams('w', 'restore', { streamIds: ['s3'] });
    assert.deepEqual(await failed(), ['s3']);
  });

  it('that failed are told of in order of topic, rule and stream', async () => {
    const { service } = await open();
    const timestamps = Array.from({ length: 10_000 }, (_, i) => i);
    const rows = { timestamps, numericValues: { a: timestamps.map((at) => (at % 2) * 9) } };
    for (const [name, topic] of [
      ['a', 'u'],
      ['c', 't'],
      ['b', 't'],
    ] as const)
      await service.put(name, { expression: 'a > 5' }, topic);
    for (const topic of ['u', 't']) await service.write('s', rows, topic);
    const failed = (await service.queries.list('w', {})).map(({ topic, name }) => `${topic} ${name}`);
    assert.deepEqual(failed, ['t b', 't c', 'u a']);
  });

  it('that cannot be used are chosen by their names, as others are', async () => {
    const { store, service } = await open();
    const newer = (id: string) =>
      ({ type: 'keep', kind: 'alert', topic: 't', id, body: '{"version":2}' }) as const;
    await store.append({ workspace: 'w', changes: [newer('cold'), newer('wet')] });
    const failed = await service.queries.list('w', { names: new Set(['wet']) });
    assert.deepEqual(
      failed.map(({ name }) => name),
      ['wet'],
    );
  });

  it('take no more new streams, of one write too, than a workspace may have', async () => {
    const { store } = await open();
    const service = alertsService(nearlyFull(store, 'alertState', maxStates - 3), now);
    await service.put('one', { expression: 'a > 5' });
    await service.put('two', { expression: 'previous(a) > 5' });
    const streams = ['s1', 's2', 's3', 's4'];
    const rows = { timestamps: [1], numericValues: { a: [9] } };
    const body = JSON.stringify(streams.map((streamId) => ({ streamId, ...rows })));
    await service.writer.parameterDataBatch({ workspace: 'w', topic: 't' }, Buffer.from(body));
    assert.equal(store.catalog.documentCount('w', 'alertState'), 3);
    const problems = (await service.queries.list('w', {})).map(({ problem }) => problem).filter(Boolean);
    assert.equal(problems.length, 2);
    for (const problem of problems) assert.match(String(problem), /too many streams/);
  });

  it('remember no more rows, of one write too, than a workspace may have', async () => {
    const { store } = await open();
    const catalog = { ...store.catalog };
    catalog.documentBytes = (...asked) => store.catalog.documentBytes(...asked) + maxStateBytes - 1;
    const service = alertsService({ ...store, catalog }, now);
    await service.put('hot', { expression: 'previous(a) > 5' });
    const rows = { timestamps: [1], numericValues: { a: [9] } };
    const body = JSON.stringify(['s1', 's2', 's3', 's4'].map((streamId) => ({ streamId, ...rows })));
    await service.writer.parameterDataBatch({ workspace: 'w', topic: 't' }, Buffer.from(body));
    assert.equal(store.catalog.documentCount('w', 'alertState'), 1);
    const [problem] = await service.queries.list('w', {});
    assert.match(String(problem?.['problem']), /remember 64 MiB/);
  });

  it('say of stored rows the same wherever the blocks of a read end', async () => {
    const { store, service } = await open();
    await service.put('hot', { expression: 'a > 5' });
    const tags = { tag: ['x', 'y', 'z', 'x', 'y', 'z'] };
    await service.write('s', {
      timestamps: [1, 1, 1, 2, 2, 2],
      numericValues: { a: [1, 9, 1, 9, 1, 1] },
      tagValues: tags,
    });
    assert.deepEqual(await service.events('hot', 's'), ['firing 1']);
    for (const size of [1, 2, 4]) {
      const cut = alertsService(inBlocks(store, size), now);
      const said = await cut.queries.test(
        'w',
        't',
        'hot',
        { streamIds: ['s'] },
        new AbortController().signal,
        () => undefined,
      );
      assert.deepEqual(
        said.map(({ state, timestamp }) => `${state} ${timestamp}`),
        ['firing 1'],
        `blocks of ${size}`,
      );
    }
  });

  it('say why they cannot be tried', async () => {
    const { store, service } = await open();
    const define = (expression: string) =>
      createCalculatedKeeper(store).put('w', 't', Buffer.from(JSON.stringify([{ id: 'x', expression }])));
    await define('a + 1');
    await service.put('hot', { expression: 'x > 5' });
    await define("over(sum(a), 'lap')");
    const { signal } = new AbortController();
    await assert.rejects(
      service.queries.test('w', 't', 'hot', { streamIds: ['s'] }, signal, () => undefined),
      (error: PitwallError) => error.code === 'bad_expression' && /uses 'over'/.test(error.message),
    );
  });

  it('say of stored rows what they said of them', async () => {
    const { service } = await open();
    await service.put('hot', hot);
    const rows = { timestamps: [1, 2, 3, 4, 5], numericValues: { a: [9, 9, 9, 9, 9], b: [5, 5, 5, 5, 1] } };
    await service.write('s', rows);
    const test = { streamIds: ['s', 'nobody'] };
    const told = await service.queries.test(
      'w',
      't',
      'hot',
      test,
      new AbortController().signal,
      () => undefined,
    );
    assert.deepEqual(
      told.map(({ state, timestamp }) => `${state} ${timestamp}`),
      await service.events('hot', 's'),
    );
    assert.deepEqual(told[0], { streamId: 's', state: 'firing', values: { a: 9, b: 5 }, timestamp: 3n });
  });
});

describe('a rule that waits for rows', () => {
  it('fires once when they stop, and is over with the next one; the stream stays as it was', async () => {
    let { store, service } = await open();
    await service.put('gone', { expression: 'a > 5', noDataFor: '1s' });
    await service.write('s', { timestamps: [1], numericValues: { a: [1] } });
    const before = await store.catalog.describe('w', 't', 's', folder.now);
    folder.now += 999;
    await service.silence.tick();
    assert.deepEqual(await service.events('gone', 's'), []);
    folder.now += 1;
    await service.silence.tick();
    await service.silence.tick();
    assert.deepEqual(await service.events('gone', 's'), ['firing 2']);
    const after = await store.catalog.describe('w', 't', 's', folder.now);
    assert.equal(after?.stream.lastUpdate, before?.stream.lastUpdate);
    const [firing] = await service.queries.list('w', {});
    assert.deepEqual([firing?.name, firing?.['noData'], firing?.timestamp], ['gone', true, 2n]);

    store = await folder.reopen(store);
    service = alertsService(store, now);
    folder.now += 5000;
    await service.silence.tick();
    assert.deepEqual(await service.events('gone', 's'), ['firing 2']);
    const started = await store.catalog.describe('w', 't', 's', folder.now);
    assert.equal(started?.stream.lastUpdate, before?.stream.lastUpdate);
    await service.write('s', { timestamps: [4], numericValues: { a: [1] } });
    assert.deepEqual(await service.events('gone', 's'), ['firing 2', 'resolved 4']);
  });

  it('fires for many streams together, and for the others where one cannot be written', async () => {
    const { store } = await open();
    let [underWay, most] = [0, 0];
    const append: Store['append'] = async (batch) => {
      const isOf = (streamId: string) =>
        batch.changes.some((change) => 'streamId' in change && change.streamId === streamId);
      if (isFailing && isOf('s1')) throw new PitwallError('disk_full');
      most = Math.max(most, ++underWay);
      await store.append(batch).finally(() => underWay--);
    };
    let isFailing = false;
    const watched = { ...store, append };
    const service = alertsService(watched, now);
    await service.put('gone', { expression: 'a > 5', noDataFor: '1s' });
    const streams = ['s0', 's1', 's2', 's3'];
    for (const streamId of streams)
      await service.write(streamId, { timestamps: [1], numericValues: { a: [1] } });
    folder.now += 1000;
    isFailing = true;
    most = 0;
    await assert.rejects(service.silence.tick(), /cannot be looked at/);
    assert.equal(most, 3);
    const fired = async () => Promise.all(streams.map((streamId) => service.events('gone', streamId)));
    assert.deepEqual(await fired(), [['firing 2'], [], ['firing 2'], ['firing 2']]);
    isFailing = false;
    await pass(service, 4000);
    assert.deepEqual(await fired(), Array(4).fill(['firing 2']));
  });

  it('does not wait for streams that have ended or are gone', async () => {
    const { store, service } = await open();
    await service.put('gone', { expression: 'a > 5', noDataFor: '1s' });
    for (const streamId of ['closed', 'deleted'])
      await service.write(streamId, { timestamps: [1], numericValues: { a: [1] } });
    await service.writer.closeStream({ workspace: 'w', topic: 't', streamId: 'closed' }, Buffer.from('{}'));
    await service.writer.changeStreams('w', 'softDelete', { streamIds: ['deleted'] });
    await pass(service, 5000);
    for (const streamId of ['closed', 'deleted'])
      assert.deepEqual(await service.events('gone', streamId), []);
    const closed = await store.catalog.describe('w', 't', 'closed', folder.now);
    assert.equal(closed?.stream.status, 'Closed');
  });

  it('does not wait for streams that it does not watch any more', async () => {
    const { service } = await open();
    const gone = { expression: 'a > 5', noDataFor: '1s' };
    const row = { timestamps: [1], numericValues: { a: [1] } };
    await service.put('named', gone);
    await service.put('chosen', { ...gone, streams: { metadata: [{ key: 'car', value: '7' }] } });
    for (const streamId of ['s', 'other']) {
      await service.writer.updateStream(
        { workspace: 'w', topic: 't', streamId },
        Buffer.from('{"metadata":{"car":"7"}}'),
      );
      await service.write(streamId, row);
    }
    await service.put('named', { ...gone, streams: { streamIds: ['other'] } });
    await service.writer.updateStream({ workspace: 'w', topic: 't', streamId: 's' }, Buffer.from('{}'));
    folder.now += 1000;
    await service.silence.tick();
    for (const name of ['named', 'chosen']) {
      assert.deepEqual(await service.events(name, 's'), []);
      assert.deepEqual(await service.events(name, 'other'), ['firing 2']);
    }
  });

  it('does not wait for rows while it cannot be evaluated', async () => {
    const { store, service } = await open();
    const calculated = createCalculatedKeeper(store);
    const define = (expression: string) =>
      calculated.put('w', 't', Buffer.from(JSON.stringify([{ id: 'x', expression }])));
    await define('a + 1');
    await service.put('gone', { expression: 'x > 5', noDataFor: '1s' });
    await service.write('s', { timestamps: [1], numericValues: { a: [1] } });
    await define("over(sum(a), 'lap')");
    folder.now += 1000;
    await service.write('s', { timestamps: [2], numericValues: { a: [1] } });
    await service.silence.tick();
    assert.deepEqual(await service.events('gone', 's'), []);
  });

  it('begins anew along rows where it was worded anew before it fired', async () => {
    const { service } = await open();
    const rule = { expression: 'sum(a) > 5', noDataFor: '1s' };
    await service.put('gone', rule);
    await service.write('s', { timestamps: [1], numericValues: { a: [4] } });
    await service.put('gone', { ...rule, level: 'Warning' });
    folder.now += 1000;
    await service.silence.tick();
    await service.write('s', { timestamps: [3, 4], numericValues: { a: [4, 4] } });
    assert.deepEqual(await service.events('gone', 's'), ['firing 2', 'resolved 3', 'firing 4']);
  });

  it('asks less and less often for streams that have ended, and fires where one is open again', async () => {
    const { store } = await open();
    let asked = 0;
    const describe: Store['catalog']['describe'] = (...args) => {
      asked++;
      return store.catalog.describe(...args);
    };
    const catalog: Store['catalog'] = Object.assign(Object.create(store.catalog), { describe });
    const service = alertsService(Object.assign(Object.create(store), { catalog }), now);
    await service.put('gone', { expression: 'a > 5', noDataFor: '1s' });
    await service.write('s', { timestamps: [1], numericValues: { a: [1] } });
    await service.writer.closeStream({ workspace: 'w', topic: 't', streamId: 's' }, Buffer.from('{}'));
    asked = 0;
    for (let second = 0; second < 1000; second++) {
      folder.now += 1000;
      await service.silence.tick();
    }
    assert.ok(asked > 2 && asked < 20, `asked ${asked} times`);
    await service.write('s', { timestamps: [2], numericValues: { b: [1] } });
    await pass(service, 600_000);
    assert.deepEqual(await service.events('gone', 's'), ['firing 2']);
  });

  it('is written to a workspace that is full', async () => {
    const { store, service } = await open();
    await service.put('gone', { expression: 'a > 5', noDataFor: '1s' });
    await service.write('s', { timestamps: [1], numericValues: { a: [1] } });
    const full = { ...workspace, maxBytes: 1, maxStreams: 1 };
    await store.append({ workspace: 'w', changes: [{ type: 'workspace', workspace: full }] });
    await assert.rejects(service.write('s', { timestamps: [2], numericValues: { a: [1] } }), {
      code: 'workspace_full',
    });
    folder.now += 1000;
    await service.silence.tick();
    assert.deepEqual(await service.events('gone', 's'), ['firing 2']);
  });
});

/** Time passes while the service runs. */
async function pass({ silence }: AlertsService, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= silence.tickMs) {
    folder.now += Math.min(left, silence.tickMs);
    await silence.tick();
  }
}

/** A store that takes no writes. */
function refusing(store: Store): Store {
  return { ...store, append: () => Promise.reject(new PitwallError('disk_full')) };
}

function someRows(random: Random, after: bigint): PlainRow[] {
  return Array.from({ length: random.int(1, 8) }, () => ({
    time: after + BigInt(random.int(0, 8)),
    tags: random.chance(0.2) ? 'x' : '',
    a: random.chance(0.1) ? undefined : random.int(3, 9),
    b: random.chance(0.3) ? undefined : random.int(1, 9),
  }));
}

function payloadOf(rows: readonly PlainRow[]): object {
  return {
    timestamps: rows.map(({ time }) => time),
    numericValues: { a: rows.map(({ a }) => a ?? null), b: rows.map(({ b }) => b ?? null) },
    tagValues: { t: rows.map(({ tags }) => (tags === '' ? null : tags)) },
  };
}
