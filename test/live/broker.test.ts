import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StreamDescription } from '../../src/domain/definition.ts';
import { Kind, type Rows } from '../../src/domain/parameter-data.ts';
import { noTags, type TagSet, tagSet } from '../../src/domain/tags.ts';
import {
  type Broker,
  createBroker,
  type LiveContent,
  type LiveEvent,
  type Subscriber,
} from '../../src/live/broker.ts';
import { activeStream } from '../../src/live/models.ts';
import { noHurry, shortSlices } from './no-hurry.ts';
import { plain } from './plain.ts';

interface Reader extends Subscriber {
  readonly events: LiveEvent[];
  /** Targets and arguments of what has come since the last look. */
  take(): [target: string, ...args: unknown[]][];
}

function reader(workspace = 'w'): Reader {
  const events: LiveEvent[] = [];
  let seen = 0;
  return {
    workspace,
    events,
    deliver: (event) => events.push(event),
    take() {
      const news = events.slice(seen);
      seen = events.length;
      return news.map(({ target, args }) => [target, ...args.map(plain)]);
    },
  };
}

const start = Date.parse('2030-01-01T00:00:00Z');

/** What was asked of a catalogue that takes its time. */
interface Asked {
  readonly streamId: string;
  readonly answer: (description: StreamDescription | undefined) => void;
  readonly fail: (error: Error) => void;
}

/** A broker whose seconds pass when the test says so; `questions` makes its catalogue one that is to be waited for. */
function setUp(questions?: Asked[], slices = noHurry) {
  let time = start;
  let passed = 0;
  let tick = () => {};
  const asked: string[] = [];
  const gone = new Set<string>();
  const broker = createBroker({
    slices,
    aheadMs: 60_000,
    interruptedAfterMs: 5000,
    now: () => time,
    monotonic: () => passed,
    everySecond(action) {
      tick = action;
      return () => {
        tick = () => {};
      };
    },
    catalog: {
      documents: () => [],
      topicName: (_workspace, topic) => (topic.toLowerCase() === 'cars' ? 'Cars' : undefined),
      describe(_workspace, topic, streamId) {
        asked.push(streamId);
        if (questions !== undefined) {
          return new Promise((answer, fail) => questions.push({ streamId, answer, fail }));
        }
        return gone.has(streamId) ? undefined : description(topic, streamId);
      },
    },
  });
  return {
    broker,
    asked,
    gone,
    /** Lets whole seconds pass. */
    pass(seconds: number) {
      for (let i = 0; i < seconds; i++) {
        time += 1000;
        passed += 1000;
        tick();
      }
    },
    /** Sets the clock ahead, or back. */
    setClock(ms: number) {
      time += ms;
    },
  };
}

/** Lets what was answered go on its way. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Of an answer that is there at once. */
function idsOf(streams: ReturnType<Broker['activeStreams']>): string[] {
  return (plain(streams) as { streamId: string }[]).map(({ streamId }) => streamId);
}

function description(topic: string, streamId: string): StreamDescription {
  return {
    stream: {
      streamId,
      name: streamId,
      topic,
      createdAt: start,
      lastUpdate: start,
      timeOfRecording: undefined,
      dataStart: 1n,
      dataEnd: 2n,
      status: 'Open',
      metadata: {},
      parents: [],
      location: '/',
    },
    parameters: [{ kind: Kind.Numeric, name: 'Speed' }],
    eventIds: ['pit'],
    parameterDefinitions: [
      { id: 'Speed', unit: 'km/h' },
      { id: 'Gear', name: 'The gear' },
    ],
    eventDefinitions: [{ id: 'crash', level: 'Critical' }],
  };
}

/** Two rows, the second without a `Gear`. */
function rows(tags: readonly TagSet[] = [noTags]): Rows {
  return {
    count: 2,
    base: 1591733989000000001n,
    offsets: Float64Array.of(3, 0),
    tagSets: tags,
    tagIndex: tags.length === 1 ? undefined : Uint32Array.of(1, 0),
    columns: [
      { kind: Kind.Numeric, name: 'Speed', values: Float64Array.of(0.1, -0), present: undefined },
      {
        kind: Kind.String,
        name: 'Gear',
        bytes: Buffer.from('é'),
        ends: Uint32Array.of(2, 2),
        present: Uint8Array.of(1),
      },
      {
        kind: Kind.Binary,
        name: 'Frame',
        bytes: Uint8Array.of(1, 2, 3),
        ends: Uint32Array.of(1, 3),
        present: undefined,
      },
    ],
  };
}

/** Writes as the writer does: captured, and published when it is stored. */
function write(broker: Broker, content: LiveContent, where: { topic?: string; streamId?: string } = {}) {
  const { topic = 'cars', streamId = 's' } = where;
  const captured = broker.capture('w', topic, streamId, content);
  const ends = content.type === 'close';
  broker.publish({ workspace: 'w', topic, streamId, bytes: 100, ends, content: captured });
  return captured;
}

const data = (...all: Rows[]): LiveContent => ({ type: 'parameterData', rows: all });
const parameter = (topic: string, streamId: string, id: string) =>
  ({ kind: 'parameter', topic, streamId, id }) as const;

describe('parameter data to readers', () => {
  it('has the subscribed parameters, all tags, the rows as they were written, and exact times', () => {
    const { broker } = setUp();
    const one = reader();
    broker.subscribe(one, parameter('CARS', 's', 'Gear'));
    broker.subscribe(one, parameter('*', '*', 'Frame'));
    write(broker, data(rows([noTags, tagSet([['lap', '7']])])));
    assert.deepEqual(one.take(), [
      [
        'ParameterDataReceived',
        {
          topicId: 'Cars',
          topicName: 'Cars',
          streamId: 's',
          epoch: 0n,
          timestamps: [1591733989000000004n, 1591733989000000001n],
          numericValues: {},
          stringValues: { Gear: ['é', null] },
          binaryValues: { Frame: [Buffer.of(1), Buffer.of(2, 3)] },
          tagValues: { lap: ['7', null] },
        },
      ],
    ]);
  });

  it('is one event for each package, also where that comes in pieces', () => {
    const { broker } = setUp();
    const one = reader();
    broker.subscribe(one, parameter('cars', 's', 'Speed'));
    const far = { ...rows(), base: 5n, tagSets: [tagSet([['far', 'yes']])] };
    write(broker, data(rows(), far));
    const [[, received]] = one.take() as [[string, Record<string, unknown>]];
    assert.deepEqual(received['timestamps'], [1591733989000000004n, 1591733989000000001n, 8n, 5n]);
    assert.deepEqual(received['numericValues'], { Speed: [0.1, -0, 0.1, -0] });
    assert.deepEqual(received['tagValues'], { far: [null, null, 'yes', 'yes'] });
  });

  it('is one object for all who want the same, serialised once', () => {
    const { broker } = setUp();
    const [a, b, c, all, everything] = [reader(), reader(), reader(), reader(), reader()];
    broker.subscribe(a, parameter('cars', 's', 'Speed'));
    broker.subscribe(b, parameter('cars', '*', 'Speed'));
    broker.subscribe(b, parameter('*', 's', 'Speed'));
    broker.subscribe(c, parameter('cars', 's', 'Gear'));
    for (const id of ['Gear', 'Frame', 'Speed']) broker.subscribe(all, parameter('cars', 's', id));
    broker.subscribe(everything, parameter('*', '*', '*'));
    write(broker, data(rows()));
    assert.deepEqual(
      [a, b, c, all, everything].map(({ events }) => events.length),
      [1, 1, 1, 1, 1],
    );
    assert.equal(a.events[0], b.events[0]);
    assert.notEqual(a.events[0], c.events[0]);
    assert.equal(all.events[0], everything.events[0]);
    let encodings = 0;
    const encode = () => Uint8Array.of(++encodings);
    const event = a.events[0]!;
    assert.equal(event.form('json', encode), event.form('json', encode));
    assert.notEqual(event.form('json', encode), event.form('messagepack', encode));
    assert.equal(encodings, 2);
    assert.equal(event.args, event.args);
  });

  it('is what it was when it was written, though the arrays are used again', () => {
    const { broker } = setUp();
    const one = reader();
    broker.subscribe(one, parameter('cars', 's', 'Speed'));
    const written = rows();
    const content = broker.capture('w', 'cars', 's', data(written));
    written.offsets.fill(99);
    for (const column of written.columns) if (column.kind === Kind.Numeric) column.values.fill(99);
    broker.publish({ workspace: 'w', topic: 'cars', streamId: 's', bytes: 1, ends: false, content });
    const [[, received]] = one.take() as [[string, Record<string, unknown>]];
    assert.deepEqual(received['numericValues'], { Speed: [0.1, -0] });
    assert.deepEqual(received['timestamps'], [1591733989000000004n, 1591733989000000001n]);
  });

  it('is not even captured where nobody wants it, and only the wanted columns are', () => {
    const { broker, asked } = setUp();
    const untouchable = new Proxy(rows(), {
      get() {
        throw new Error('nobody asked for these rows');
      },
    });
    assert.equal(write(broker, data(untouchable)), undefined);
    const [elsewhere, other, here] = [reader('another'), reader(), reader()];
    broker.subscribe(elsewhere, parameter('*', '*', '*'));
    broker.subscribe(other, parameter('bikes', '*', '*'));
    broker.subscribe(other, parameter('cars', 'another', '*'));
    assert.equal(write(broker, data(untouchable)), undefined);
    broker.subscribe(here, parameter('cars', 's', 'None'));
    assert.equal(write(broker, data(rows())), undefined);
    broker.subscribe(here, parameter('cars', 's', 'Gear'));
    const captured = write(broker, data(rows()));
    assert.ok(captured?.type === 'parameterData');
    assert.deepEqual(
      captured.rows[0]!.columns.map(({ name }) => name),
      ['Gear'],
    );
    assert.deepEqual([elsewhere.events.length, other.events.length, here.events.length], [0, 0, 1]);
    assert.deepEqual(asked, []);
  });

  it('no longer comes after unsubscribing, in each of the three ways', () => {
    const { broker } = setUp();
    const one = reader();
    const subscription = parameter('cars', 's', 'Speed');
    const ways = [
      () => broker.unsubscribe(one, parameter('CARS', 's', 'Speed')),
      () => broker.unsubscribeStream(one, 'Cars', 's'),
      () => broker.drop(one),
    ];
    for (const leave of ways) {
      broker.subscribe(one, subscription);
      broker.subscribe(one, subscription);
      write(broker, data(rows()));
      leave();
      write(broker, data(rows()));
      assert.equal(one.take().length, 1);
    }
  });
});

describe('the other events to readers', () => {
  it('are one for each event, flat, in order', () => {
    const { broker } = setUp();
    const [one, all] = [reader(), reader()];
    broker.subscribe(one, { kind: 'event', topic: 'cars', streamId: 's', id: 'pit' });
    broker.subscribe(all, { kind: 'event', topic: '*', streamId: 's', id: '*' });
    broker.subscribe(all, { kind: 'event', topic: 'cars', streamId: '*', id: 'pit' });
    const events = ['pit', 'crash', 'pit'].map((id, i) => ({
      id,
      timestamp: BigInt(i) - 1n,
      value: `${i}`,
      tags: tagSet([['lap', '7']]),
    }));
    write(broker, { type: 'eventData', events });
    const place = { topicId: 'Cars', topicName: 'Cars', streamId: 's' };
    assert.deepEqual(one.take(), [
      ['EventDataReceived', { ...place, id: 'pit', timestamp: -1n, value: '0', tags: { lap: '7' } }],
      ['EventDataReceived', { ...place, id: 'pit', timestamp: 1n, value: '2', tags: { lap: '7' } }],
    ]);
    assert.equal(all.events.length, 3);
    assert.equal(all.events[2], one.events[1]);
  });

  it('tell of definitions as they were sent', () => {
    const { broker } = setUp();
    const one = reader();
    broker.subscribe(one, { kind: 'parameterDefinitions', topic: 'cars', streamId: '*' });
    broker.subscribe(one, { kind: 'eventDefinitions', topic: 'cars', streamId: 's' });
    write(broker, { type: 'parameterDefinitions', definitions: [{ id: 'p', unit: 'kg' }] });
    write(broker, { type: 'eventDefinitions', definitions: [{ id: 'e' }] });
    const place = { topicName: 'Cars', streamId: 's' };
    assert.deepEqual(one.take(), [
      ['ParameterDefinitionsUpdated', { ...place, definitions: [{ id: 'p', unit: 'kg' }] }],
      ['EventDefinitionsUpdated', { ...place, definitions: [{ id: 'e' }] }],
    ]);
  });

  it('are packages too, their content as JSON text with all digits', () => {
    const { broker } = setUp();
    const one = reader();
    broker.subscribe(one, { kind: 'packages', topic: 'cars' });
    write(broker, data(rows()));
    write(broker, { type: 'stream', properties: { name: 'n', timeOfRecording: start } });
    write(broker, { type: 'close', endType: 'Aborted' });
    const head = { topicId: 'Cars', topicName: 'Cars', streamId: 's', dateTime: '2030-01-01T00:00:00.000Z' };
    assert.deepEqual(one.take(), [
      [
        'PackageReceived',
        {
          ...head,
          type: 'ParameterData',
          value:
            '{"epoch":0,"timestamps":[1591733989000000004,1591733989000000001],"numericValues":{"Speed":[0.1,-0]},' +
            '"stringValues":{"Gear":["é",null]},"binaryValues":{"Frame":["AQ==","AgM="]},"tagValues":{}}',
        },
      ],
      [
        'PackageReceived',
        {
          ...head,
          type: 'StreamProperties',
          value: '{"name":"n","timeOfRecording":"2030-01-01T00:00:00.000Z"}',
        },
      ],
      ['PackageReceived', { ...head, type: 'StreamEnd', value: '{"endType":"Aborted"}' }],
    ]);
  });
});

describe('active streams', () => {
  const changesOf = (one: Reader) =>
    one.take().map(([target, stream, change]) => {
      assert.equal(target, 'ActiveStreamsChanged');
      return [(stream as { streamId: string }).streamId, change];
    });

  it('are told when they begin, at most once a second after that, and when they are closed', () => {
    const { broker, pass } = setUp();
    const one = reader();
    broker.subscribe(one, { kind: 'activeStreams', topic: 'cars' });
    const empty = data();
    write(broker, empty);
    assert.deepEqual(changesOf(one), [['s', 'AddUpdate']]);
    write(broker, empty);
    write(broker, empty);
    pass(1);
    assert.deepEqual(changesOf(one), []);
    pass(1);
    assert.deepEqual(changesOf(one), [['s', 'AddUpdate']]);
    pass(1);
    assert.deepEqual(changesOf(one), []);
    write(broker, empty);
    write(broker, { type: 'close', endType: 'Closed' });
    write(broker, { type: 'close', endType: 'Closed' });
    pass(1);
    assert.deepEqual(changesOf(one), [['s', 'Remove']]);
    assert.deepEqual(plain(broker.activeStreams('w', 'cars')), []);
  });

  it('are removed when they are interrupted, and not before', () => {
    const { broker, pass } = setUp();
    const one = reader();
    write(broker, data(), { streamId: 'quiet' });
    broker.subscribe(one, { kind: 'activeStreams', topic: '*' });
    pass(3);
    write(broker, data(), { streamId: 'busy' });
    assert.deepEqual(changesOf(one), [['busy', 'AddUpdate']]);
    pass(2);
    assert.deepEqual(changesOf(one), []);
    pass(1);
    assert.deepEqual(changesOf(one), [['quiet', 'Remove']]);
    pass(4);
    assert.deepEqual(changesOf(one), [['busy', 'Remove']]);
  });

  it('are removed when they are interrupted, and not before, also where the clock is set meanwhile', () => {
    for (const ms of [-3_600_000, 3_600_000]) {
      const { broker, pass, setClock } = setUp();
      const one = reader();
      write(broker, data(), { streamId: 'quiet' });
      broker.subscribe(one, { kind: 'activeStreams', topic: '*' });
      setClock(ms);
      pass(3);
      write(broker, data(), { streamId: 'busy' });
      pass(2);
      assert.deepEqual(changesOf(one), [['busy', 'AddUpdate']]);
      pass(1);
      assert.deepEqual(changesOf(one), [['quiet', 'Remove']]);
      pass(4);
      assert.deepEqual(changesOf(one), [['busy', 'Remove']]);
    }
  });

  it('are removed by their name when they are gone for good', () => {
    const { broker, pass, gone } = setUp();
    const one = reader();
    write(broker, data());
    broker.subscribe(one, { kind: 'activeStreams', topic: 'cars' });
    gone.add('s');
    pass(6);
    assert.deepEqual(one.take(), [
      ['ActiveStreamsChanged', { streamId: 's', topicId: 'Cars', topicName: 'Cars' }, 'Remove'],
    ]);
  });

  it('are removed at once when they are deleted, and begin again with the next write', () => {
    const { broker, pass, gone } = setUp();
    const [one, theirs] = [reader(), reader('other')];
    for (const streamId of ['a', 'b', 'c']) write(broker, data(), { streamId });
    for (const each of [one, theirs]) broker.subscribe(each, { kind: 'activeStreams', topic: '*' });
    // An update that was due is not told of a stream that is gone.
    write(broker, data(), { streamId: 'b' });
    gone.add('b');
    broker.ended('w', [
      { topic: 'CARS', streamId: 'a' },
      { topic: 'cars', streamId: 'b' },
      { topic: 'cars', streamId: 'silent' },
      { topic: 'none', streamId: 'c' },
    ]);
    broker.ended('unknown', [{ topic: 'cars', streamId: 'c' }]);
    pass(1);
    assert.deepEqual(
      changesOf(one).filter(([streamId]) => streamId !== 'c'),
      [
        ['a', 'Remove'],
        ['b', 'Remove'],
      ],
    );
    assert.deepEqual(idsOf(broker.activeStreams('w', 'cars')), ['c']);
    assert.deepEqual(theirs.take(), []);
    write(broker, data(), { streamId: 'a' });
    assert.deepEqual(changesOf(one), [['a', 'AddUpdate']]);
  });

  it('are listed with all that is known of them', () => {
    const { broker } = setUp();
    write(broker, data(), { topic: 'Cars', streamId: 'a' });
    write(broker, data(), { topic: 'bikes', streamId: 'b' });
    assert.deepEqual(idsOf(broker.activeStreams('w', '*')), ['a', 'b']);
    assert.deepEqual(plain(broker.activeStreams('another', '*')), []);
    const nothing = { description: null, customProperties: null, location: null };
    const bare = {
      ...nothing,
      minimumValue: null,
      maximumValue: null,
      valueNames: null,
      unit: null,
      format: null,
    };
    assert.deepEqual(plain(broker.activeStreams('w', 'cars')), [
      {
        streamId: 'a',
        topicId: 'Cars',
        topicName: 'Cars',
        name: 'a',
        location: '/',
        metadata: {},
        parents: [],
        timeOfRecording: null,
        parameters: {
          Speed: { ...bare, name: 'Speed', dataType: 'Numeric', unit: 'km/h' },
          Gear: { ...bare, name: 'The gear', dataType: 'Unknown' },
        },
        events: {
          pit: { ...nothing, name: 'pit', level: null },
          crash: { ...nothing, name: 'crash', level: 'Critical' },
        },
        firstSeen: '2030-01-01T00:00:00.000Z',
        lastSeen: '2030-01-01T00:00:00.000Z',
        lastData: '2030-01-01T00:00:00.000Z',
        status: 'Receiving',
      },
    ]);
  });

  it('are listed without a look at more than one of them before they are asked for, and those that are gone by then are not', () => {
    const { broker, asked, gone } = setUp();
    for (const streamId of ['a', 'b', 'c']) write(broker, data(), { streamId });
    const listed = broker.activeStreams('w', 'cars');
    assert.deepEqual(asked, ['a']);
    gone.add('b');
    assert.deepEqual(idsOf(listed), ['a', 'c']);
  });

  it('are told in slices, in order, where very many change at one time', async () => {
    const { broker, asked, pass } = setUp(undefined, shortSlices());
    const one = reader();
    broker.subscribe(one, { kind: 'activeStreams', topic: 'cars' });
    const ids = Array.from({ length: 1000 }, (_, i) => `s${i}`);
    let most = 0;
    const untilTold = async (count: number): Promise<void> => {
      for (let before = asked.length; asked.length < count; before = asked.length) {
        await turn();
        most = Math.max(most, asked.length - before);
      }
    };
    for (const streamId of ids) write(broker, data(), { streamId });
    write(broker, { type: 'close', endType: 'Closed' }, { streamId: 's7' });
    await untilTold(1001);
    pass(1);
    for (const streamId of ids) if (streamId !== 's7') write(broker, data(), { streamId });
    pass(1);
    await untilTold(2000);
    pass(6);
    await untilTold(2999);
    assert.ok(most < 20, `${most} streams were told in one turn`);
    const others = ids.filter((id) => id !== 's7');
    assert.deepEqual(changesOf(one), [
      ...ids.map((id) => [id, 'AddUpdate']),
      ['s7', 'Remove'],
      ...others.map((id) => [id, 'AddUpdate']),
      ...others.map((id) => [id, 'Remove']),
    ]);
  });

  it('have one type for a name of several kinds, defined or not', () => {
    const kinds = [Kind.Numeric, Kind.String, Kind.Binary];
    const parameters = ['Speed', 'Sector'].flatMap((name) => kinds.map((kind) => ({ kind, name })));
    const stream = activeStream({ ...description('cars', 'a'), parameters });
    const types = plain(stream.parameters) as Record<string, { dataType: string }>;
    assert.equal(types['Speed']?.dataType, 'Numeric');
    assert.equal(types['Sector']?.dataType, 'Numeric');
  });

  it('are told in order by a catalogue that takes its time, and not asked for faster than it answers', async () => {
    const questions: Asked[] = [];
    const { broker, pass } = setUp(questions);
    const one = reader();
    broker.subscribe(one, { kind: 'activeStreams', topic: 'cars' });
    write(broker, data(), { streamId: 'a' });
    write(broker, data(), { streamId: 'b' });
    write(broker, { type: 'close', endType: 'Closed' }, { streamId: 'a' });
    write(broker, data(), { streamId: 'b' });
    pass(2);
    assert.deepEqual(
      questions.map(({ streamId }) => streamId),
      ['a', 'b', 'a'],
    );
    const [began, other, ended] = questions;
    ended!.answer(description('cars', 'a'));
    other!.answer(description('cars', 'b'));
    await turn();
    assert.deepEqual(changesOf(one), [], 'what came before is not there yet');
    began!.answer(description('cars', 'a'));
    await turn();
    assert.deepEqual(changesOf(one), [
      ['a', 'AddUpdate'],
      ['b', 'AddUpdate'],
      ['a', 'Remove'],
    ]);
    pass(1);
    assert.equal(questions.length, 4, 'the update that was due is told now');
  });

  it('are told again where the catalogue failed, and removed without it', async () => {
    const questions: Asked[] = [];
    const { broker, pass } = setUp(questions);
    const one = reader();
    broker.subscribe(one, { kind: 'activeStreams', topic: 'cars' });
    write(broker, data());
    questions[0]!.fail(new Error('unreachable'));
    await turn();
    assert.deepEqual(changesOf(one), []);
    pass(2);
    questions[1]!.answer(description('cars', 's'));
    await turn();
    assert.deepEqual(changesOf(one), [['s', 'AddUpdate']]);
    write(broker, { type: 'close', endType: 'Closed' });
    questions[2]!.fail(new Error('unreachable'));
    await turn();
    assert.deepEqual(changesOf(one), [['s', 'Remove']]);
  });

  it('are listed as they are when a catalogue that takes its time has answered', async () => {
    const questions: Asked[] = [];
    const { broker } = setUp(questions);
    write(broker, data(), { streamId: 'a' });
    write(broker, data(), { streamId: 'b' });
    const listing = broker.activeStreams('w', 'cars');
    assert.equal(questions.length, 2, 'all in one turn');
    write(broker, { type: 'close', endType: 'Closed' }, { streamId: 'a' });
    write(broker, data(), { streamId: 'c' });
    for (const { streamId, answer } of questions.splice(0)) answer(description('cars', streamId));
    await turn();
    assert.deepEqual(
      questions.map(({ streamId }) => streamId),
      ['c'],
    );
    questions[0]!.answer(description('cars', 'c'));
    assert.deepEqual(idsOf(await listing), ['b', 'c']);
    const failing = broker.activeStreams('w', 'cars');
    for (const { fail } of questions) fail(new Error('unreachable'));
    await assert.rejects(async () => await failing, /unreachable/);
  });
});

describe('topic metrics', () => {
  const sample = (second: number, bytesPerSecond: number, activeStreams: number) => ({
    timestamp: new Date(start + 1000 * second).toISOString(),
    topicId: 'Cars',
    topicName: 'Cars',
    bytesPerSecond,
    activeStreams,
  });

  it('come once a second to those who subscribed, also while nothing is written', () => {
    const { broker, pass } = setUp();
    const one = reader();
    broker.subscribe(one, { kind: 'topicMetrics', topic: 'cars' });
    pass(1);
    write(broker, data(), { streamId: 'a' });
    write(broker, data(), { streamId: 'b' });
    pass(2);
    assert.deepEqual(one.take(), [
      ['TopicMetricsUpdated', sample(1, 0, 0)],
      ['TopicMetricsUpdated', sample(2, 200, 2)],
      ['TopicMetricsUpdated', sample(3, 0, 2)],
    ]);
    broker.unsubscribe(one, { kind: 'topicMetrics', topic: 'cars' });
    pass(1);
    assert.deepEqual(one.take(), []);
  });

  it('are kept for five minutes, and forgotten where nothing was written since', () => {
    const { broker, pass } = setUp();
    pass(7);
    write(broker, data());
    pass(299);
    const kept = plain(broker.topicMetrics('w', 'CARS')) as unknown[];
    assert.equal(kept.length, 299);
    assert.deepEqual(kept[0], sample(8, 100, 1));
    assert.deepEqual(kept.at(-1), sample(306, 0, 0));
    pass(1);
    assert.deepEqual(broker.topicMetrics('w', '*').length, 300);
    pass(1);
    assert.deepEqual(plain(broker.topicMetrics('w', '*')), []);
  });

  it('count what came in a second, also where the clock is set meanwhile', () => {
    const { broker, pass, setClock } = setUp();
    const rates: unknown[] = [];
    for (const ms of [0, -3_600_000, 7_200_000]) {
      write(broker, data());
      setClock(ms);
      pass(1);
      const kept = plain(broker.topicMetrics('w', 'cars')) as { bytesPerSecond: number }[];
      rates.push(kept.at(-1)!.bytesPerSecond);
    }
    assert.deepEqual(rates, [100, 100, 100]);
  });

  it('have the last five minutes of a topic that goes on', () => {
    const { broker, pass } = setUp();
    for (let second = 0; second < 700; second++) {
      write(broker, data());
      pass(1);
    }
    const kept = plain(broker.topicMetrics('w', 'cars')) as unknown[];
    assert.equal(kept.length, 300);
    assert.deepEqual([kept[0], kept.at(-1)], [sample(401, 100, 1), sample(700, 100, 1)]);
  });

  it('of very many topics are measured in slices, each once in a second', async () => {
    const { broker, pass } = setUp(undefined, shortSlices());
    const one = reader();
    broker.subscribe(one, { kind: 'topicMetrics', topic: '*' });
    const topics = Array.from({ length: 500 }, (_, i) => `topic ${i}`);
    for (const topic of topics) write(broker, data(), { topic });
    let most = 0;
    for (let second = 1; second <= 2; second++) {
      pass(1);
      // The next second comes while they are measured.
      pass(1);
      for (let before = 0; before < topics.length; ) {
        await turn();
        const now = one.events.length - (second - 1) * topics.length;
        most = Math.max(most, now - before);
        before = now;
      }
    }
    assert.ok(most < 130, `${most} topics were measured in one turn`);
    const told = one.take().map(([, sample]) => (sample as { topicName: string }).topicName);
    assert.deepEqual(told, [...topics, ...topics]);
    for (const topic of topics) {
      const kept = plain(broker.topicMetrics('w', topic)) as { bytesPerSecond: number }[];
      assert.deepEqual(
        kept.map(({ bytesPerSecond }) => bytesPerSecond > 0),
        [true, false],
      );
    }
  });

  it('stop with the broker', () => {
    const { broker, pass } = setUp();
    const one = reader();
    broker.subscribe(one, { kind: 'topicMetrics', topic: 'cars' });
    broker.close();
    pass(3);
    write(broker, data(rows()));
    assert.deepEqual(one.take(), []);
  });
});
