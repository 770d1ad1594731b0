import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Ordering, StreamFilter } from '../../../../src/domain/query.ts';
import type { StreamProperties } from '../../../../src/domain/stream.ts';
import { catalogState } from '../../../../src/store/embedded/catalog/catalog-state.ts';
import { selectStreams, streamsToRead } from '../../../../src/store/embedded/catalog/select-streams.ts';
import type { Change } from '../../../../src/store/store.ts';
import { whole } from '../../../../src/turns/steps.ts';
import { commit, scratchRecord } from '../log-scratch.ts';
import { type Cell, rowsOf } from '../rows.ts';

const interruptedAfterMs = 60_000;

function catalogue() {
  const state = catalogState();
  let now = 1000;
  return {
    state,
    add(topic: string, streamId: string, properties?: StreamProperties, workspace = 'default') {
      const change: Change = { type: 'stream', topic, streamId, ...(properties && { properties }) };
      commit(state, ++now, [change], workspace);
    },
    write(topic: string, streamId: string, times: readonly bigint[], cells: Record<string, Cell>) {
      const rows = rowsOf(times.map((time) => ({ time, cells })));
      commit(state, ++now, [{ type: 'rows', topic, streamId, rows: [rows] }]);
    },
    close(topic: string, streamId: string) {
      commit(state, ++now, [{ type: 'close', topic, streamId, endType: 'Closed' }]);
    },
    find: (filter: StreamFilter, at = now, workspace = 'default') =>
      whole(selectStreams(state, workspace, filter, at, interruptedAfterMs)).map(({ streamId }) => streamId),
    select: (filter: StreamFilter) => whole(selectStreams(state, 'default', filter, now, interruptedAfterMs)),
  };
}

describe('the filter of streams', () => {
  it('by location takes a prefix, and with a slash at its end the directory and what is below', () => {
    const { add, find } = catalogue();
    for (const location of ['/one', '/one/two', '/one111', '/one/111', '/two', '/One', '/']) {
      add('t', location, { location });
    }
    add('t', 'nowhere');
    assert.deepEqual(find({ location: '/one' }), ['/one', '/one/two', '/one111', '/one/111']);
    assert.deepEqual(find({ location: '/one/' }), ['/one', '/one/two', '/one/111']);
    assert.deepEqual(find({ location: 'one/' }), ['/one', '/one/two', '/one/111']);
    assert.deepEqual(find({ location: '/one/t' }), ['/one/two']);
    assert.equal(find({ location: '/' }).length, 8);
  });

  it('by location takes stored ones with a slash at their end alike', () => {
    const { add, find } = catalogue();
    add('t', 'a', { location: '/one/' });
    assert.deepEqual([find({ location: '/one' }), find({ location: '/one/' })], [['a'], ['a']]);
  });

  it('by topic takes the whole name in any case, one or any of several', () => {
    const { add, find, select } = catalogue();
    add('MyTopic', 'a');
    add('mytopic', 'b');
    add('MyTopic123', 'c');
    add('Other', 'd');
    assert.deepEqual(find({ topic: 'mYtOPIC' }), ['a', 'b']);
    assert.deepEqual(find({ topics: ['OTHER', 'mytopic123', 'none'] }).sort(), ['c', 'd']);
    assert.deepEqual(find({ topic: 'other', topics: ['mytopic'] }), []);
    assert.deepEqual(find({ topic: 'none' }), []);
    assert.equal(select({ streamIds: ['b'] })[0]!.topic, 'MyTopic', 'the first spelling is kept');
  });

  it('by ids finds each in every topic, exactly', () => {
    const { add, find, select } = catalogue();
    add('t', 'a');
    add('u', 'a');
    add('t', 'A');
    assert.deepEqual(
      select({ streamIds: ['a', 'a', 'none'] }).map(({ topic, streamId }) => [topic, streamId]),
      [
        ['t', 'a'],
        ['u', 'a'],
      ],
    );
    assert.deepEqual(find({ streamIds: ['a'], topic: 'u' }), ['a']);
  });

  it('by parameters takes streams with data of any of them, of any kind but events', () => {
    const { add, write, find } = catalogue();
    write('t', 'a', [1n], { speed: 1 });
    write('t', 'b', [1n], { gear: 'N' });
    write('t', 'c', [1n], { speed: 'fast', frame: new Uint8Array(1) });
    add('t', 'd');
    assert.deepEqual(find({ parameterIds: ['speed'] }), ['a', 'c']);
    assert.deepEqual(find({ parameterIds: ['gear', 'frame'] }), ['b', 'c']);
    assert.deepEqual(find({ parameterIds: ['Speed'] }), []);
    assert.deepEqual(find({ eventIds: ['speed'] }), []);
  });

  it('by metadata takes those with every entry, exactly, by key, by value or both', () => {
    const { add, find } = catalogue();
    add('t', 'a', { metadata: { driver: 'J', car: '7' } });
    add('t', 'b', { metadata: { driver: 'j' } });
    add('t', 'c');
    assert.deepEqual(find({ metadata: [{ key: 'driver', value: 'J' }] }), ['a']);
    assert.deepEqual(find({ metadata: [{ key: 'driver' }] }), ['a', 'b']);
    assert.deepEqual(find({ metadata: [{ value: '7' }, { key: 'driver' }] }), ['a']);
    assert.deepEqual(find({ metadata: [{ key: 'driver', value: '7' }] }), []);
    assert.deepEqual(find({ metadata: [{ key: 'constructor' }] }), []);
  });

  it('by status includes and excludes, interrupted ones as of the time of asking', () => {
    const { add, close, find } = catalogue();
    add('t', 'old');
    add('t', 'ended');
    close('t', 'ended');
    const later = 1001 + interruptedAfterMs;
    assert.deepEqual(find({ includeStatuses: ['Open'] }), ['old']);
    assert.deepEqual(find({ includeStatuses: ['Open'] }, later), ['old']);
    assert.deepEqual(find({ includeStatuses: ['Interrupted'] }, later + 1), ['old']);
    assert.deepEqual(find({ includeStatuses: ['Open', 'Closed'] }, later + 1), ['ended']);
    assert.deepEqual(find({ excludeStatuses: ['Interrupted', 'Closed'] }, later + 1), []);
    assert.deepEqual(find({ excludeStatuses: ['Closed'] }, later + 1), ['old']);
    assert.deepEqual(find({ includeStatuses: ['SoftDeleted', 'Idle', 'Deleting'] }, later + 1), []);
  });

  it('by name takes what contains it, with an eye to case only if it has a capital', () => {
    const { add, find } = catalogue();
    add('t', 'a', { name: 'Lap One' });
    add('t', 'lap two');
    assert.deepEqual(find({ name: 'lap' }), ['a', 'lap two']);
    assert.deepEqual(find({ name: 'Lap' }), ['a']);
    assert.deepEqual(find({ name: 'laptop' }), []);
  });

  it('by parent takes its children', () => {
    const { add, find } = catalogue();
    add('t', 'a', { parents: ['p', 'q'] });
    add('t', 'b', { parents: ['pp'] });
    assert.deepEqual(find({ parentStreamId: 'p' }), ['a']);
  });

  it('by search takes those with every word in id, name, topic, location or metadata, in any case', () => {
    const { add, find } = catalogue();
    add('Cars', 'id-1', { name: 'Bahrain', location: '/f1/2021', metadata: { Driver: 'HAM' } });
    add('Cars', 'id-2', { name: 'Imola' });
    assert.deepEqual(find({ search: 'cars' }), ['id-1', 'id-2']);
    assert.deepEqual(find({ search: '  bahrain ham DRIVER 2021 ID-1' }), ['id-1']);
    assert.deepEqual(find({ search: 'cars monza' }), []);
  });

  it('joins its fields with and', () => {
    const { add, find } = catalogue();
    add('t', 'a', { name: 'x', location: '/one' });
    add('t', 'b', { name: 'x', location: '/two' });
    assert.deepEqual(find({ name: 'x', location: '/two' }), ['b']);
    assert.deepEqual(find({ streamIds: ['a'], location: '/two' }), []);
  });

  it('sees one workspace only, and no stream before it is durable', () => {
    const { state, add, find } = catalogue();
    add('t', 'mine');
    add('t', 'theirs', undefined, 'other');
    assert.deepEqual([find({}), find({}, 2000, 'other'), find({}, 2000, 'none')], [['mine'], ['theirs'], []]);
    const underWay: Change = { type: 'stream', topic: 't', streamId: 'new' };
    const record = scratchRecord(state, { workspace: 'default', changes: [underWay] }, 1);
    assert.deepEqual(
      [find({}), whole(streamsToRead(state, 'default', ['mine', 'theirs', 'new'], 'T')).length],
      [['mine'], 1],
    );
    record.applyTo(state);
    assert.deepEqual(
      [find({}), whole(streamsToRead(state, 'default', undefined, undefined)).length],
      [['new', 'mine'], 2],
    );
  });
});

describe('the order of streams', () => {
  const order = (by: string, direction: Ordering['direction'] = 'Asc') => ({ ordering: [{ by, direction }] });

  it('is by creation and id unless asked otherwise', () => {
    const { state, find } = catalogue();
    for (const id of ['b', 'a']) commit(state, 500, [{ type: 'stream', topic: 't', streamId: id }]);
    commit(state, 400, [{ type: 'stream', topic: 't', streamId: 'z' }]);
    assert.deepEqual(find({}), ['z', 'a', 'b']);
  });

  it('puts missing values last in either direction, and ends with the id', () => {
    const { add, write, find } = catalogue();
    write('t', 'late', [50n], { n: 1 });
    write('t', 'early', [-50n, 70n], { n: 1 });
    add('t', 'y', { metadata: { lap: '2' }, timeOfRecording: 5 });
    add('t', 'x', { metadata: { lap: '10' } });
    assert.deepEqual(find(order('dataStart')), ['early', 'late', 'x', 'y']);
    assert.deepEqual(find(order('dataStart', 'Desc')), ['late', 'early', 'x', 'y']);
    assert.deepEqual(find(order('dataEnd', 'Desc')), ['early', 'late', 'x', 'y']);
    assert.deepEqual(find(order('metadata.lap')), ['x', 'y', 'early', 'late']);
    assert.deepEqual(find(order('metadata.lap', 'Desc')), ['y', 'x', 'early', 'late']);
    assert.deepEqual(find(order('timeOfRecording', 'Desc'))[0], 'y');
    assert.deepEqual(find(order('metadata.toString')), ['early', 'late', 'x', 'y']);
  });

  it('goes by each property in turn, text by code unit', () => {
    const { add, find } = catalogue();
    add('b', '1', { name: 'é', location: '/x' });
    add('a', '2', { name: 'Z', location: '/x' });
    add('a', '3', { name: 'a', location: '/y' });
    assert.deepEqual(find(order('name')), ['2', '3', '1']);
    assert.deepEqual(find(order('topic')), ['2', '3', '1']);
    const both: Ordering[] = [
      { by: 'location', direction: 'Desc' },
      { by: 'topic', direction: 'Asc' },
    ];
    assert.deepEqual(find({ ordering: both }), ['3', '2', '1']);
    for (const by of ['streamId', 'createdAt', 'lastUpdate']) {
      assert.deepEqual(find(order(by, 'Desc')), ['3', '2', '1'], by);
    }
    assert.deepEqual(find(order('status')), ['1', '2', '3']);
  });

  it('makes stable pages', () => {
    const { add, find } = catalogue();
    for (let i = 0; i < 10; i++) add('t', `s${i}`, { location: i % 2 === 0 ? '/x' : '/y' });
    const ordering: Ordering[] = [{ by: 'location', direction: 'Desc' }];
    const pages = [0, 1, 2, 3].map((index) => find({ ordering, paging: { index, length: 4 } }));
    assert.deepEqual(
      pages.map(({ length }) => length),
      [4, 4, 2, 0],
    );
    assert.deepEqual(pages.flat(), find({ ordering }));
  });
});
