import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EventDefinition, ParameterDefinition } from '../../../../src/domain/definition.ts';
import type { EventFilter, ParameterFilter } from '../../../../src/domain/listing.ts';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { noTags } from '../../../../src/domain/tags.ts';
import { rowsOfEvents } from '../../../../src/ingest/event-rows.ts';
import { catalogState } from '../../../../src/store/embedded/catalog/catalog-state.ts';
import { listParameters, writtenEvents } from '../../../../src/store/embedded/catalog/listings.ts';
import { streamModels } from '../../../../src/store/embedded/catalog/stream-models.ts';
import { unknownParameters } from '../../../../src/store/embedded/catalog/unknown-parameters.ts';
import type { Change } from '../../../../src/store/store.ts';
import { type Steps, whole } from '../../../../src/turns/steps.ts';
import { catalogView } from '../catalog-view.ts';
import { commit, commitStreamsChange } from '../log-scratch.ts';
import { type Cell, rowsOf } from '../rows.ts';

function catalogue() {
  const state = catalogState();
  const all = { streamIds: undefined, topic: undefined };
  const view = catalogView(state, 60_000);
  let now = 1000;
  const change = (one: Change, workspace?: string) => commit(state, ++now, [one], workspace);
  return {
    write(streamId: string, cells: Record<string, Cell>, topic = 't') {
      change({ type: 'rows', topic, streamId, rows: [rowsOf([{ time: BigInt(now), cells }])] });
    },
    happen(streamId: string, ...ids: string[]) {
      const events = ids.map((id) => ({ id, timestamp: 1n, value: '', tags: noTags }));
      change({ type: 'rows', topic: 't', streamId, rows: rowsOfEvents(events) });
    },
    define(streamId: string, ...definitions: ParameterDefinition[]) {
      change({ type: 'parameterDefinitions', topic: 't', streamId, definitions });
    },
    defineEvents(streamId: string, ...definitions: EventDefinition[]) {
      change({ type: 'eventDefinitions', topic: 't', streamId, definitions });
    },
    place(streamId: string, location: string, parents: string[] = [], topic = 't') {
      change({ type: 'stream', topic, streamId, properties: { location, parents } });
    },
    remove(streamId: string, action: 'softDelete' | 'hardDelete' = 'softDelete') {
      commitStreamsChange(state, { workspace: 'default', action, filter: { streamIds: [streamId] }, now });
    },
    change,
    state,
    view,
    /** Steps of listings of all. */
    steps: {
      parameters: () => listParameters(state, 'default', {}),
      writtenEvents: () => writtenEvents(state, 'default', all),
      unknown: (name: string) => unknownParameters(state, 'default', all, [{ kind: Kind.Numeric, name }]),
      models: () => streamModels(state, 'default', {}, 1, 1e9),
    },
    parameters: (filter: ParameterFilter = {}) =>
      view
        .parameters('default', filter)
        .map(({ id, type, streamIds }) => `${id} ${type} ${streamIds.join('+')}`),
    events: (filter: EventFilter = {}) =>
      view.events('default', filter).map(({ id, streamIds }) => `${id} ${streamIds.join('+')}`),
  };
}

function withRests<Result>(steps: Steps<Result>, meanwhile: (rest: number) => void): Result {
  for (let rest = 1; ; rest++) {
    const step = steps.next();
    if (step.done === true) {
      assert.ok(rest > 1, 'it rests');
      return step.value;
    }
    meanwhile(rest);
  }
}

describe('the parameters of streams', () => {
  it('are listed by id and type: written ones, and unknown ones that are only defined', () => {
    const { write, define, happen, parameters } = catalogue();
    write('a', { speed: 1, gear: 'N' });
    write('b', { speed: 'fast', frame: new Uint8Array(1) });
    happen('b', 'crash');
    define('b', { id: 'speed' }, { id: 'later' });
    assert.deepEqual(parameters(), [
      'frame Binary b',
      'gear String a',
      'later Unknown b',
      'speed Numeric a',
      'speed String b',
    ]);
  });

  it('are one entry where they agree in everything but the streams, in the order of these', () => {
    const { write, define, parameters, view } = catalogue();
    for (const id of ['z', 'a', 'm', 'b']) write(id, { speed: 1 });
    define('a', { id: 'speed', unit: 'km/h', minimumValue: 0 });
    define('b', { id: 'speed', unit: 'km/h' }, { id: 'other' });
    define('b', { id: 'speed', minimumValue: 0 });
    // The name is the id unless someone gives another.
    define('m', { id: 'speed', name: 'speed' });
    assert.deepEqual(parameters(), ['other Unknown b', 'speed Numeric a+b', 'speed Numeric z+m']);
    assert.deepEqual(view.parameters('default', { parameterIds: ['speed'] }), [
      { id: 'speed', name: 'speed', unit: 'km/h', minimumValue: 0, type: 'Numeric', streamIds: ['a', 'b'] },
      { id: 'speed', name: 'speed', type: 'Numeric', streamIds: ['z', 'm'] },
    ]);
  });

  it('name a stream id once, though it is in two topics', () => {
    const { write, parameters } = catalogue();
    write('a', { speed: 1 }, 't');
    write('a', { speed: 1 }, 'u');
    assert.deepEqual(parameters(), ['speed Numeric a']);
    assert.deepEqual(parameters({ topic: 'U' }), ['speed Numeric a']);
  });

  it('are of the streams that are asked for, and of none that is deleted', () => {
    const { write, place, remove, parameters, view } = catalogue();
    write('a', { x: 1 });
    write('b', { y: 1 });
    write('c', { z: 1 }, 'Other');
    place('a', '/one/two');
    place('b', '/one111');
    assert.deepEqual(parameters({ streamIds: ['a', 'none'] }), ['x Numeric a']);
    assert.deepEqual(parameters({ topics: ['OTHER', 'none'] }), ['z Numeric c']);
    assert.deepEqual(parameters({ topic: 'none' }), []);
    assert.deepEqual(parameters({ location: 'one/' }), ['x Numeric a']);
    assert.deepEqual(parameters({ location: '/one' }), ['x Numeric a', 'y Numeric b']);
    remove('a');
    remove('b', 'hardDelete');
    assert.deepEqual(parameters(), ['z Numeric c']);
    assert.deepEqual(view.parameters('other', {}), []);
  });

  it('are found by id and type exactly, by texts as streams are by name', () => {
    const { write, define, parameters } = catalogue();
    write('a', { speed: 1, gear: 'N' });
    define(
      'a',
      { id: 'speed', name: 'Ground Speed', unit: 'km/h' },
      { id: 'oil', description: 'Hot', customProperties: '{}' },
    );
    assert.deepEqual(parameters({ parameterIds: ['speed', 'Gear'] }), ['speed Numeric a']);
    assert.deepEqual(parameters({ includeTypes: ['String', 'Unknown'] }), ['gear String a', 'oil Unknown a']);
    assert.deepEqual(parameters({ name: 'ground' }), ['speed Numeric a']);
    assert.deepEqual(parameters({ name: 'Speed' }), ['speed Numeric a']);
    assert.deepEqual(parameters({ name: 'GEAR' }), []);
    assert.deepEqual(parameters({ name: 'ear' }), ['gear String a']);
    assert.deepEqual(parameters({ unit: 'KM' }), []);
    assert.deepEqual(parameters({ unit: 'km' }), ['speed Numeric a']);
    assert.deepEqual(parameters({ description: 'hot' }), ['oil Unknown a']);
    assert.deepEqual(parameters({ customProperties: '{' }), ['oil Unknown a']);
    assert.deepEqual(parameters({ description: '' }), ['oil Unknown a']);
  });

  it('come in the order and page that are asked for, missing values last', () => {
    const { define, parameters } = catalogue();
    define('a', { id: 'x', maximumValue: 2 }, { id: 'y', maximumValue: 10, unit: 's' }, { id: 'z' });
    const ids = (filter: ParameterFilter) => parameters(filter).map((text) => text[0]);
    assert.deepEqual(ids({ ordering: [{ by: 'maximumValue', direction: 'Desc' }] }), ['y', 'x', 'z']);
    assert.deepEqual(ids({ ordering: [{ by: 'maximumValue', direction: 'Asc' }] }), ['x', 'y', 'z']);
    assert.deepEqual(ids({ ordering: [{ by: 'parameterId', direction: 'Desc' }] }), ['z', 'y', 'x']);
    assert.deepEqual(ids({ ordering: [{ by: 'unit', direction: 'Desc' }] }), ['y', 'x', 'z']);
    assert.deepEqual(ids({ paging: { index: 1, length: 2 } }), ['z']);
    assert.deepEqual(ids({ paging: { index: 2, length: 2 } }), []);
  });
});

describe('the events of streams', () => {
  it('are those with data or a definition, filtered by level', () => {
    const { happen, defineEvents, events, view } = catalogue();
    happen('a', 'crash', 'pit');
    happen('b', 'crash');
    defineEvents('b', { id: 'crash', level: 'Critical', name: 'Crash' }, { id: 'rain', level: 'Warning' });
    assert.deepEqual(events(), ['crash b', 'crash a', 'pit a', 'rain b']);
    assert.deepEqual(events({ includeLevels: ['Critical', 'Trace'] }), ['crash b']);
    assert.deepEqual(events({ excludeLevels: ['Critical'] }), ['crash a', 'pit a', 'rain b']);
    assert.deepEqual(events({ eventIds: ['pit', 'rain'] }), ['pit a', 'rain b']);
    assert.deepEqual(events({ name: 'Crash' }), ['crash b']);
    const bySeverity = events({ ordering: [{ by: 'level', direction: 'Desc' }] });
    assert.deepEqual(bySeverity, ['crash b', 'rain b', 'crash a', 'pit a']);
    assert.deepEqual(view.events('default', { eventIds: ['rain'] }), [
      { id: 'rain', name: 'rain', level: 'Warning', streamIds: ['b'] },
    ]);
  });

  it('are kept apart from parameters of the same name', () => {
    const { happen, write, parameters, events } = catalogue();
    happen('a', 'x');
    write('b', { x: 1 });
    assert.deepEqual([parameters(), events()], [['x Numeric b'], ['x a']]);
  });

  it('with data are known by id', () => {
    const { happen, write, defineEvents, view } = catalogue();
    happen('a', 'pit', 'crash');
    happen('b', 'é', 'Z');
    write('a', { speed: 1 });
    defineEvents('a', { id: 'rain' });
    const all = { streamIds: undefined, topic: undefined };
    assert.deepEqual(view.writtenEvents('default', all), ['Z', 'crash', 'pit', 'é']);
    assert.deepEqual(view.writtenEvents('default', { ...all, streamIds: ['a'] }), ['crash', 'pit']);
    assert.deepEqual(view.writtenEvents('default', { ...all, topic: 'none' }), []);
  });
});

describe('topics', () => {
  it('have the bounds of their streams, deleted ones left out', () => {
    const { change, write, remove, view } = catalogue();
    const rows = (time: bigint) => [rowsOf([{ time, cells: { speed: 1 } }])];
    change({ type: 'rows', topic: 'Cars', streamId: 'a', rows: rows(-5n) });
    change({ type: 'rows', topic: 'cars', streamId: 'b', rows: rows(70n) });
    change({ type: 'stream', topic: 'CARS', streamId: 'c' });
    write('x', { speed: 1 }, 'bikes');
    change({ type: 'stream', topic: 'theirs', streamId: 'y' }, 'other');
    const cars = { name: 'Cars', streams: 3, dataStart: -5n, dataEnd: 70n, lastUpdate: 1003 };
    const bikes = { name: 'bikes', streams: 1, dataStart: 1003n, dataEnd: 1003n, lastUpdate: 1004 };
    assert.deepEqual(view.topics('default'), [cars, bikes]);
    remove('a');
    remove('c', 'hardDelete');
    assert.deepEqual(view.topics('default')[0], {
      name: 'Cars',
      streams: 1,
      dataStart: 70n,
      dataEnd: 70n,
      lastUpdate: 1002,
    });
    remove('b', 'hardDelete');
    const empty = { streams: 0, dataStart: undefined, dataEnd: undefined, lastUpdate: undefined };
    assert.deepEqual(view.topics('default')[0], { name: 'Cars', ...empty });
  });

  it('are not there before they are durable', () => {
    const { view } = catalogue();
    assert.deepEqual(view.topics('default'), []);
  });
});

describe('models of streams', () => {
  const drawn = (view: ReturnType<typeof catalogue>['view'], filter = {}) =>
    view
      .streamModels('default', { ordering: [{ by: 'streamId', direction: 'Asc' }], ...filter }, 1)
      .map(({ stream, depth }) => `${'-'.repeat(depth)}${stream.topic}/${stream.streamId}`);

  it('stand below their parents, of one id below that of the same topic', () => {
    const { place, view } = catalogue();
    place('raw', '/', [], 't');
    place('raw', '/', [], 'u');
    place('lap', '/', ['raw'], 'u');
    place('mean', '/', ['lap', 'none'], 'v');
    place('raw', '/', ['raw'], 'v');
    assert.deepEqual(drawn(view), ['t/raw', '-v/raw', 'u/raw', '-u/lap', '--v/mean']);
  });

  it('are those that the filter selects; pages are of the streams at the top', () => {
    const { place, remove, view } = catalogue();
    place('a', '/one');
    place('b', '/one', ['a']);
    place('c', '/two', ['b']);
    place('d', '/one');
    assert.deepEqual(drawn(view), ['t/a', '-t/b', '--t/c', 't/d']);
    assert.deepEqual(drawn(view, { paging: { index: 0, length: 1 } }), ['t/a', '-t/b', '--t/c']);
    assert.deepEqual(drawn(view, { paging: { index: 1, length: 1 } }), ['t/d']);
    assert.deepEqual(drawn(view, { location: '/two' }), ['t/c']);
    remove('b');
    assert.deepEqual(drawn(view), ['t/a', 't/c', 't/d']);
  });

  it('in a circle stand once', () => {
    const { place, view } = catalogue();
    place('a', '/', ['c']);
    place('b', '/', ['a']);
    place('c', '/', ['b']);
    assert.deepEqual(drawn(view), ['t/c', '-t/a', '--t/b']);
  });
});

describe('a listing of many streams, which rests between them', () => {
  const many = Array.from({ length: 600 }, (_, i) => `s${i}`);

  it('has of a stream what it had when it was looked at', () => {
    const { write, happen, define, steps } = catalogue();
    const seen = ['a', 'b'];
    for (const id of seen) {
      write(id, { Speed: 1 });
      happen(id, 'pit');
    }
    define('a', { id: 'Speed', unit: 'km/h' }, { id: 'later' });
    for (const id of many) write(id, { other: 1 });
    let changes = 0;
    const change = (rest: number) => {
      if (rest > 1) return;
      changes++;
      for (const id of seen) {
        write(id, { [`more${changes}`]: 1 });
        happen(id, `stop${changes}`);
        define(id, { id: 'later', unit: `${changes}` });
      }
      // What nobody has any more makes room for what comes.
      write('new', { [`new${changes}`]: 1 });
    };
    const listed = withRests(steps.parameters(), change).map(({ id, type, unit }) => [id, type, unit]);
    for (const entry of [
      ['Speed', 'Numeric', undefined],
      ['Speed', 'Numeric', 'km/h'],
      ['later', 'Unknown', undefined],
    ])
      assert.ok(
        listed.some((one) => JSON.stringify(one) === JSON.stringify(entry)),
        `${entry} of ${listed.join('; ')}`,
      );
    assert.deepEqual(withRests(steps.writtenEvents(), change), ['pit', 'stop1']);
    const nearest = { kind: Kind.Numeric, name: 'Speed' };
    assert.deepEqual(withRests(steps.unknown('Sped'), change)[0]!.nearest, nearest);
    assert.deepEqual(withRests(steps.unknown('later'), change), []);
  });

  it('rests between the parameters of one stream, too', () => {
    const { write, define, steps } = catalogue();
    const names = Array.from({ length: 5000 }, (_, i) => `p${i}`);
    write('a', Object.fromEntries(names.map((name) => [name, 1])));
    define('a', ...names.map((id) => ({ id: `${id}.x` })));
    let rests = 0;
    const listed = withRests(steps.parameters(), () => rests++);
    assert.deepEqual(
      listed.map(({ id }) => id),
      names.flatMap((name) => [name, `${name}.x`]).sort(),
    );
    assert.ok(rests > 50, `${rests} rests`);
  });

  it('rests between the definitions of one stream, also those that nobody asks for', () => {
    const { define, state } = catalogue();
    define('a', ...Array.from({ length: 5000 }, (_, i) => ({ id: `p${i}` })));
    let rests = 0;
    const steps = listParameters(state, 'default', { parameterIds: ['p7'] });
    const listed = withRests(steps, (rest) => {
      rests = rest;
    });
    assert.deepEqual(
      listed.map(({ id }) => id),
      ['p7'],
    );
    assert.ok(rests >= 4, `${rests} rests`);
  });

  it('of models goes on where a stream gets other parents meanwhile', () => {
    const { place, steps } = catalogue();
    place('a', '/', ['b']);
    for (const id of many) place(id, '/');
    const move = (rest: number) => place('a', '/', [`parent${rest}`]);
    assert.equal(withRests(steps.models(), move).length, 601);
  });
});

describe('a listing beside writes of another workspace', () => {
  /** A stream that is looked at first, and many that are looked at after it. */
  function many() {
    const made = catalogue();
    made.write('a', { speed: 1 });
    made.define('a', { id: 'speed', unit: 'km/h' });
    made.happen('e', 'crash');
    made.write('b', { speed: 1, gear: 1 });
    made.happen('f', 'crash');
    made.write('f', { gear: 1 });
    for (let i = 0; i < 600; i++) made.write(`s${i}`, { gear: 1 });
    return made;
  }

  /** Takes the first step, then has writes take numbers of parameter sets and definitions from streams, and give them to others. */
  function interrupted<Result>(
    { write, define, change }: ReturnType<typeof many>,
    steps: Steps<Result>,
  ): Result {
    steps.next();
    write('a', { gear: 1 });
    write('e', { gear: 1 });
    define('a', { id: 'speed', unit: 'mph' });
    const others = (streamId: string, cells: Record<string, Cell>) =>
      change(
        { type: 'rows', topic: 't', streamId, rows: [rowsOf([{ time: 1n, cells }])] },
        'another workspace',
      );
    others('x', { secret: 1 });
    others('y', { secret: 1, hidden: 1 });
    return whole(steps);
  }

  it('has the parameters and definitions that streams had when they were looked at', () => {
    const made = many();
    const listed = interrupted(made, listParameters(made.state, 'default', {}));
    assert.deepEqual(
      listed.map(({ id, unit, streamIds }) => `${id} ${unit ?? ''} ${streamIds.length}`),
      ['gear  602', 'speed km/h 1', 'speed  1'],
    );
  });

  it('has the events that streams had when they were looked at', () => {
    const made = many();
    const selected = { streamIds: undefined, topic: undefined };
    assert.deepEqual(interrupted(made, writtenEvents(made.state, 'default', selected)), ['crash']);
  });

  it('finds the parameters that no stream had when it was looked at', () => {
    const made = many();
    const keys = [{ kind: Kind.Numeric, name: 'secrets' }];
    const selected = { streamIds: undefined, topic: undefined };
    assert.deepEqual(interrupted(made, unknownParameters(made.state, 'default', selected, keys)), [
      { key: keys[0], nearest: undefined },
    ]);
  });
});
