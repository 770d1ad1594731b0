import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pino } from 'pino';
import type { StreamDescription } from '../../../src/domain/definition.ts';
import type { Document } from '../../../src/domain/document.ts';
import { Kind, type Rows } from '../../../src/domain/parameter-data.ts';
import { noTags, tagSet } from '../../../src/domain/tags.ts';
import {
  type ActiveStream,
  createBroker,
  type LiveContent,
  type Subscriber,
  type Subscription,
  type TopicMetrics,
} from '../../../src/live/broker.ts';
import { chunks } from '../../../src/live/nats/chunks.ts';
import { type DistributedBroker, distributedBroker } from '../../../src/live/nats/distributed-broker.ts';
import { connectLiveLink, type LinkOptions } from '../../../src/live/nats/link.ts';
import type { LiveLink } from '../../../src/live/nats/live-link.ts';
import { encodePackage } from '../../../src/live/nats/package.ts';
import { createSlices } from '../../../src/turns/slices.ts';
import { makeCertificate, opensslMissing } from '../../certificate.ts';
import { until } from '../../until.ts';
import { natsMissing, type RunningNats, startNats } from '../nats-server.ts';
import { plain } from '../plain.ts';

const linkModule = new URL('../../../src/live/nats/link.js', import.meta.url).href;

interface Node {
  readonly broker: DistributedBroker;
  readonly link: LiveLink;
  /** All that its log has said. */
  log(): string;
  /** A write: what one request changed in one stream. */
  write(topic: string, streamId: string, content: LiveContent, workspace?: string): void;
}

interface Reader extends Subscriber {
  readonly events: [target: string, ...args: unknown[]][];
  /** How often it was told to come back. */
  interruptions: number;
}

function reader(workspace = 'w'): Reader {
  return {
    workspace,
    events: [],
    interruptions: 0,
    deliver({ target, args }) {
      this.events.push([target, ...args.map(plain)]);
    },
    interrupted() {
      this.interruptions++;
    },
  };
}

function description(topic: string, streamId: string): StreamDescription {
  return {
    stream: {
      streamId,
      name: streamId,
      topic,
      createdAt: 0,
      lastUpdate: 0,
      timeOfRecording: undefined,
      dataStart: 1n,
      dataEnd: 2n,
      status: 'Open',
      metadata: {},
      parents: [],
      location: '/',
    },
    parameters: [],
    eventIds: [],
    parameterDefinitions: [],
    eventDefinitions: [],
  };
}

async function node(
  url: string,
  name: string,
  interruptedAfterMs = 60_000,
  limits: Pick<LinkOptions, 'settleTimeoutMs'> = {},
): Promise<Node> {
  let text = '';
  const log = pino({ level: 'trace' }, { write: (line) => (text += line) });
  const link = connectLiveLink({ url, node: name, log, ...limits });
  const local = createBroker({
    aheadMs: 60_000,
    slices: createSlices('test', 2, () => 0),
    catalog: {
      documents: (_w, _kind, topic) => (topic === 'reckoned' ? reckoned : []),
      topicName: () => undefined,
      describe: (_w, topic, streamId) => description(topic, streamId),
    },
    interruptedAfterMs,
    now: Date.now,
  });
  const broker = distributedBroker(local, link, { interruptedAfterMs });
  after(async () => {
    broker.close();
    await link.close();
  });
  return {
    broker,
    link,
    log: () => text,
    write(topic, streamId, content, workspace = 'w') {
      const captured = broker.capture(workspace, topic, streamId, content);
      const ends = content.type === 'close';
      broker.publish({ workspace, topic, streamId, bytes: 100, ends, content: captured });
    },
  };
}

/** Two nodes over one NATS, both connected. */
async function pair(server?: RunningNats, interruptedAfterMs?: number): Promise<[Node, Node, RunningNats]> {
  const nats = server ?? (await startNats());
  const a = await node(nats.url, 'a', interruptedAfterMs);
  const b = await node(nats.url, 'b', interruptedAfterMs);
  await until(() => a.link.connected() && b.link.connected());
  return [a, b, nats];
}

function speed(value: number, name = 'Speed'): LiveContent {
  return { type: 'parameterData', rows: [speeds([value], name)] };
}

function speeds(values: readonly number[], name = 'Speed'): Rows {
  return {
    count: values.length,
    base: 1591733989000000001n,
    offsets: Float64Array.from(values, (_, i) => i),
    tagSets: [noTags],
    tagIndex: undefined,
    columns: [{ kind: Kind.Numeric, name, values: Float64Array.from(values), present: undefined }],
  };
}

const reckoned: readonly Document[] = [
  { id: 'Fast', expression: 'Speed * 2' },
  { id: 'Total', expression: 'sum(Speed)' },
].map(({ id, expression }) => ({
  kind: 'calculated',
  topic: 'reckoned',
  id,
  body: JSON.stringify({ expression }),
  updatedAt: 0,
}));

interface Data {
  readonly topicName: string;
  readonly streamId: string;
  readonly timestamps: bigint[];
  readonly numericValues: Record<string, number[]>;
}

const dataOf = ({ events }: Reader): Data[] =>
  events.filter(([target]) => target === 'ParameterDataReceived').map(([, data]) => data as Data);
const valuesOf = (from: Reader, name = 'Speed') => dataOf(from).map((data) => data.numericValues[name]?.[0]);

const toSpeed: Subscription = { kind: 'parameter', topic: 'cars', streamId: '*', id: 'Speed' };

describe('live data between nodes', { skip: natsMissing, timeout: 600_000 }, () => {
  it('reach readers of every kind on another node as they reach those of the same', async () => {
    const [a, b] = await pair();
    const own = reader();
    const other = reader();
    const stranger = reader('another workspace');
    const kinds: Subscription[] = [
      toSpeed,
      { kind: 'event', topic: 'CARS', streamId: 'car', id: '*' },
      { kind: 'parameterDefinitions', topic: '*', streamId: '*' },
      { kind: 'eventDefinitions', topic: 'cars', streamId: 'car' },
      { kind: 'packages', topic: 'cars' },
    ];
    for (const kind of kinds) {
      a.broker.subscribe(own, kind);
      b.broker.subscribe(other, kind);
      b.broker.subscribe(stranger, kind);
    }
    await b.broker.settled();
    a.write('Cars', 'car', speed(0.1));
    a.write('Cars', 'car', speed(1, 'Gear'));
    const tags = tagSet([['driver', 'é']]);
    a.write('Cars', 'car', { type: 'eventData', events: [{ id: 'lap', timestamp: -1n, value: '1', tags }] });
    a.write('Cars', 'car', { type: 'parameterDefinitions', definitions: [{ id: 'Speed', unit: 'km/h' }] });
    a.write('Cars', 'car', { type: 'eventDefinitions', definitions: [{ id: 'lap', level: 'Warning' }] });
    a.write('Cars', 'car', { type: 'stream', properties: { name: 'the car' } });
    a.write('Cars', 'car', { type: 'close', endType: 'Aborted' });
    await until(() => other.events.length === own.events.length);
    const withoutTime = ({ events }: Reader) =>
      events.map(([target, event]) => [target, { ...(event as object), dateTime: undefined }]);
    assert.equal(own.events.length, 11);
    assert.deepEqual(withoutTime(other), withoutTime(own));
    assert.deepEqual(stranger.events, []);
  });

  it('are calculated by the node of each reader, from its subscription on', async () => {
    const [a, b] = await pair();
    const [early, late] = [reader(), reader()];
    const to = (id: string): Subscription => ({ kind: 'parameter', topic: 'reckoned', streamId: '*', id });
    for (const id of ['Fast', 'Total']) b.broker.subscribe(early, to(id));
    await b.broker.settled();
    const write = (value: number) => {
      const rows = { ...speeds([value]), base: 1591733989000000001n + BigInt(value) };
      a.write('reckoned', 'car', { type: 'parameterData', rows: [rows] });
    };
    write(1);
    await until(() => early.events.length === 1);
    b.broker.subscribe(late, to('Total'));
    await b.broker.settled();
    write(2);
    write(3);
    await until(() => early.events.length === 3 && late.events.length === 2);
    assert.deepEqual(
      [valuesOf(early, 'Fast'), valuesOf(early, 'Total')],
      [
        [2, 4, 6],
        [1, 3, 6],
      ],
    );
    assert.deepEqual(
      dataOf(late).map(({ numericValues }) => numericValues),
      [{ Total: [2] }, { Total: [5] }],
    );
  });

  it('keep the order of a stream, and what several patterns match comes once', async () => {
    const [a, b] = await pair();
    const readers = ['*', 'car', '*'].map((streamId, i) => {
      const one = reader();
      b.broker.subscribe(one, { kind: 'parameter', topic: i < 2 ? '*' : 'cars', streamId, id: 'Speed' });
      return one;
    });
    await b.broker.settled();
    const values = Array.from({ length: 2000 }, (_, i) => i);
    for (const value of values) a.write('cars', 'car', speed(value));
    for (const one of readers) {
      await until(() => one.events.length >= values.length);
      assert.deepEqual(valuesOf(one), values);
    }
  });

  it('are only what its readers want', async () => {
    const [a, b] = await pair();
    const one = reader();
    b.broker.subscribe(one, { kind: 'parameter', topic: 'cars', streamId: 'car-1', id: 'Speed' });
    b.broker.subscribe(one, { kind: 'event', topic: 'cars', streamId: 'car-2', id: '*' });
    await b.broker.settled();
    for (const streamId of ['car-1', 'car-2', 'car-3']) a.write('cars', streamId, speed(1));
    a.write('cars', 'car-1', speed(2));
    await until(() => one.events.length === 2);
    assert.equal(b.link.counts.received, 2);
    b.broker.drop(one);
    const last = reader();
    b.broker.subscribe(last, { kind: 'parameter', topic: 'cars', streamId: 'end', id: '*' });
    await b.broker.settled();
    a.write('cars', 'car-1', speed(3));
    a.write('cars', 'end', speed(4));
    await until(() => last.events.length === 1);
    assert.equal(b.link.counts.received, 3);
    assert.equal(one.events.length, 2);
  });

  it('go to no reader that has unsubscribed in one of the ways to do so', async () => {
    const [a, b] = await pair();
    const one = reader();
    b.broker.subscribe(one, toSpeed);
    b.broker.subscribe(one, toSpeed);
    b.broker.subscribe(one, { ...toSpeed, streamId: 'car' });
    b.broker.unsubscribe(one, { ...toSpeed, topic: 'CARS' });
    b.broker.unsubscribeStream(one, 'Cars', 'car');
    const end = reader();
    b.broker.subscribe(end, { ...toSpeed, streamId: 'end' });
    await b.broker.settled();
    a.write('cars', 'car', speed(1));
    a.write('cars', 'end', speed(2));
    await until(() => end.events.length === 1);
    assert.deepEqual(one.events, []);
    assert.equal(b.link.counts.received, 1);
  });

  it('may have any names', async () => {
    const [a, b] = await pair();
    const names = ['a.b', '*.x', '>', 'a b', '\t', 'é', '=Kg', '~', '"\\', 'Ω'.repeat(256), 'X'.repeat(512)];
    const exact = reader();
    const all = reader();
    b.broker.subscribe(all, { kind: 'parameter', topic: '*', streamId: '*', id: '*' });
    for (const name of names) {
      b.broker.subscribe(exact, { kind: 'parameter', topic: name, streamId: name, id: name });
    }
    await b.broker.settled();
    for (const name of names) a.write(name, name, speed(1, name));
    await until(() => all.events.length === names.length);
    for (const found of [exact, all]) {
      assert.deepEqual(
        dataOf(found).map(({ topicName, streamId, numericValues }) => [
          topicName,
          streamId,
          Object.keys(numericValues),
        ]),
        names.map((name) => [name, name, [name]]),
      );
    }
  });

  it('may be larger than what NATS takes at once', async () => {
    const [a, b] = await pair();
    const one = reader();
    b.broker.subscribe(one, { ...toSpeed, id: '*' });
    await b.broker.settled();
    const large = Array.from({ length: 250_000 }, (_, i) => Math.sin(i));
    a.write('cars', 'car', speed(1));
    a.write('cars', 'car', { type: 'parameterData', rows: [speeds(large), speeds(large, 'Other')] });
    a.write('cars', 'car', speed(2));
    await until(() => one.events.length === 3);
    const [first, whole, last] = dataOf(one);
    assert.deepEqual([first?.numericValues['Speed'], last?.numericValues['Speed']], [[1], [2]]);
    assert.equal(whole?.timestamps.length, 500_000);
    assert.deepEqual(whole?.numericValues['Speed']?.slice(0, large.length), large);
  });

  it('are all sent before a node leaves', async () => {
    const [, b, nats] = await pair();
    // It takes its time, however busy the machine is.
    const a = await node(nats.url, 'leaving', undefined, { settleTimeoutMs: 60_000 });
    await until(() => a.link.connected());
    const one = reader();
    b.broker.subscribe(one, toSpeed);
    await b.broker.settled();
    const large = Array.from({ length: 100_000 }, (_, i) => Math.sin(i));
    for (let i = 0; i < 8; i++)
      a.write('cars', 'car', { type: 'parameterData', rows: [speeds([i, ...large])] });
    await a.link.close();
    await until(() => one.events.length === 8);
    assert.deepEqual(valuesOf(one), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert.equal(one.interruptions, 0);
  });

  it('count in topic metrics and active streams of all nodes', async () => {
    const [a, b] = await pair(undefined, 3000);
    const one = reader();
    b.broker.subscribe(one, { kind: 'activeStreams', topic: 'cars' });
    b.broker.subscribe(one, { kind: 'topicMetrics', topic: 'cars' });
    const changes = () =>
      one.events
        .filter(([target]) => target === 'ActiveStreamsChanged')
        .map(([, stream, change]) => `${change} ${(stream as ActiveStream).streamId}`);
    const metrics = () =>
      one.events
        .filter(([target]) => target === 'TopicMetricsUpdated')
        .map(([, sample]) => sample as { bytesPerSecond: number; activeStreams: number });
    a.write('cars', 'car-1', speed(1));
    a.write('Cars', 'car-2', speed(1));
    a.write('Cars', 'car-3', speed(1));
    await until(() => changes().length >= 3);
    assert.deepEqual(changes().slice(0, 3), ['AddUpdate car-1', 'AddUpdate car-2', 'AddUpdate car-3']);
    const active = plain(await b.broker.activeStreams('w', '*')) as ActiveStream[];
    assert.deepEqual(active.map(({ streamId }) => streamId).sort(), ['car-1', 'car-2', 'car-3']);
    await until(() =>
      metrics().some(({ bytesPerSecond, activeStreams }) => bytesPerSecond > 0 && activeStreams === 3),
    );
    a.write('cars', 'car-1', { type: 'close', endType: 'Closed' });
    a.broker.ended('w', [{ topic: 'cars', streamId: 'car-2' }]);
    await until(() => changes().length >= 6);
    assert.deepEqual(new Set(changes().slice(3)), new Set(['Remove car-1', 'Remove car-2', 'Remove car-3']));
    const history = plain(b.broker.topicMetrics('w', 'cars')) as TopicMetrics[];
    assert.ok(history.some(({ bytesPerSecond }) => bytesPerSecond > 0));
  });

  it('of streams that are active already are told to a node that has just come', async () => {
    const [a, b, nats] = await pair();
    a.write('cars', 'car', speed(1));
    // What was just written is told by then, and would not be told again by itself.
    await until(async () => (await b.broker.activeStreams('w', 'cars')).length === 1);
    const c = await node(nats.url, 'c');
    await until(async () => (await c.broker.activeStreams('w', 'cars')).length === 1);
  });

  it('come again after NATS was away; writes go on, readers are asked to come back once', async () => {
    const [a, b, nats] = await pair();
    const own = reader();
    const other = reader();
    const metricsOnly = reader();
    a.broker.subscribe(own, toSpeed);
    b.broker.subscribe(other, toSpeed);
    b.broker.subscribe(metricsOnly, { kind: 'topicMetrics', topic: 'cars' });
    await b.broker.settled();
    a.write('cars', 'car', speed(1));
    await until(() => other.events.length === 1);
    await nats.kill();
    await until(() => !a.link.connected() && !b.link.connected());
    assert.match(a.link.problems.join(), /live link to NATS at 127\.0\.0\.1:\d+ is down/);
    await b.broker.settled();
    for (let i = 2; i < 10; i++) a.write('cars', 'car', speed(i));
    assert.equal(own.events.length, 9);
    assert.equal(a.link.counts.lost >= 8, true);
    const late = reader();
    b.broker.subscribe(late, { ...toSpeed, streamId: 'late' });
    await nats.start();
    await until(() => a.link.connected() && b.link.connected());
    assert.deepEqual(a.link.problems, []);
    await b.broker.settled();
    a.write('cars', 'car', speed(10));
    a.write('cars', 'late', speed(11));
    await until(() => late.events.length === 1 && other.events.length === 3);
    assert.deepEqual(valuesOf(other), [1, 10, 11]);
    await until(() => other.interruptions === 1 && late.interruptions === 1);
    assert.equal(metricsOnly.interruptions, 0);
  });

  it('that were let go before they were published are told to readers on all nodes, once', async () => {
    const [a, b] = await pair();
    const own = reader();
    const other = reader();
    const metricsOnly = reader();
    a.broker.subscribe(own, toSpeed);
    b.broker.subscribe(other, toSpeed);
    a.broker.subscribe(metricsOnly, { kind: 'topicMetrics', topic: 'cars' });
    await b.broker.settled();
    a.write('cars', 'car', speed(1));
    await until(() => other.events.length === 1);
    // A node knows what another one had lost before from its first beat; what is lost later is told.
    await until(() => /"node":"a","msg":"another node is there"/.test(b.log()));
    for (let i = 0; i < 3; i++) a.broker.missed();
    assert.equal(a.link.counts.lost, 3);
    await until(() => own.interruptions === 1 && other.interruptions === 1);
    assert.equal(metricsOnly.interruptions, 0);
  });

  it('of one topic are told to its readers alone, and not again and again', async () => {
    const [a, b] = await pair();
    const [own, other, same, stranger] = [reader(), reader(), reader(), reader('v')];
    a.broker.subscribe(own, toSpeed);
    b.broker.subscribe(same, toSpeed);
    b.broker.subscribe(other, { ...toSpeed, topic: 'boats' });
    b.broker.subscribe(stranger, toSpeed);
    await b.broker.settled();
    await until(() => /"node":"a","msg":"another node is there"/.test(b.log()));
    a.broker.missed({ workspace: 'w', topic: 'Cars' });
    assert.equal(a.link.counts.lost, 1);
    await until(() => own.interruptions === 1 && same.interruptions === 1);
    assert.match(b.log(), /"places":\[\{"workspace":"w","topic":"Cars"\}\]/);
    assert.deepEqual([other.interruptions, stranger.interruptions], [0, 0]);
  });

  it('come also where a write is larger than any package', async () => {
    const [a, b] = await pair();
    const other = reader();
    b.broker.subscribe(other, toSpeed);
    await b.broker.settled();
    const count = 1_200_000;
    const values = Float64Array.from({ length: count }, (_, i) => Math.sin(i));
    const columns = Array.from({ length: 8 }, (_, i) => ({
      kind: Kind.Numeric,
      name: `p${i}`,
      values,
      present: undefined,
    }));
    a.write('cars', 'car', {
      type: 'parameterData',
      rows: [{ ...speeds([]), count, offsets: values.map((_, i) => i), columns }],
    });
    await until(() => b.link.counts.received >= 3 && b.link.counts.received === a.link.counts.sent);
    assert.equal(a.link.counts.lost, 0);
    assert.equal(other.interruptions, 0);
  });

  it('that are not what their subject says reach nobody, and are told to those who wanted it', async () => {
    const [, b, nats] = await pair();
    const victim = reader('w');
    const wanted = reader('v');
    b.broker.subscribe(victim, toSpeed);
    b.broker.subscribe(wanted, toSpeed);
    await b.broker.settled();
    const forged = encodePackage({ workspace: 'w', topic: 'cars', streamId: 'car', content: speed(1) });
    const { connect } = await import('@nats-io/transport-node');
    const stranger = await connect({ servers: [nats.url.slice('nats://'.length)] });
    const head = { sender: Buffer.alloc(8, 7), number: 0 };
    for (const message of chunks(head, forged, 1 << 20))
      stranger.publish('pitwall.2.live.v.cars.car.data', message);
    await stranger.flush();
    await stranger.close();
    await until(() => wanted.interruptions === 1);
    assert.deepEqual([victim.events, wanted.events], [[], []]);
    assert.equal(victim.interruptions, 0);
  });

  it('come also of a write that began while NATS was away and is acknowledged when it is back', async () => {
    const [a, b, nats] = await pair();
    const other = reader();
    b.broker.subscribe(other, toSpeed);
    await b.broker.settled();
    await nats.kill();
    await until(() => !a.link.connected() && !b.link.connected());
    const content = a.broker.capture('w', 'cars', 'car', speed(7));
    await nats.start();
    await until(() => a.link.connected() && b.link.connected());
    await b.broker.settled();
    a.broker.publish({ workspace: 'w', topic: 'cars', streamId: 'car', bytes: 100, ends: false, content });
    await until(() => other.events.length === 1);
    assert.deepEqual(valuesOf(other), [7]);
    assert.equal(a.link.counts.lost, 0);
  });

  it('wait for a NATS that is not there yet, and log in with a password that no log shows', async () => {
    const nats = await startNats(['--user', 'live', '--pass', 'hush-hush']);
    await nats.kill();
    const address = nats.url.replace('nats://', 'nats://live:hush-hush@');
    const early = await node(address, 'early');
    const stranger = await node(nats.url.replace('nats://', 'nats://live:hush-wrong@'), 'stranger');
    await until(() => early.log().includes('cannot be reached'));
    assert.match(early.link.problems.join(), /is down/);
    await nats.start();
    await until(() => early.link.connected());
    await until(() => /authorization/i.test(stranger.link.problems.join()));
    assert.ok(!stranger.link.connected());
    for (const { log, link } of [early, stranger])
      assert.ok(!(log() + link.problems.join()).includes('hush'));
  });

  it('take a token, and TLS with a certificate that is trusted', { skip: opensslMissing }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pitwall-tls-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const { cert, key } = makeCertificate(folder);
    const nats = await startNats(['--auth', 'hush-hush', '--tls', '--tlscert', cert, '--tlskey', key]);
    const address = `tls://hush-hush@localhost:${nats.port}`;
    const distrustful = await node(address, 'distrustful');
    await until(() => /self.signed/.test(distrustful.link.problems.join()));
    // Trust is read when a process starts.
    const program = `
      const { connectLiveLink } = await import(${JSON.stringify(linkModule)});
      const log = { info() {}, warn() {}, error() {} };
      const link = connectLiveLink({ url: process.env.ADDRESS, node: 'trusting', log });
      while (!link.connected()) await new Promise((resolve) => setTimeout(resolve, 10));
      await link.close();`;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: cert, ADDRESS: address };
    execFileSync(process.execPath, ['--input-type=module', '--eval', program], { env, timeout: 120_000 });
  });

  it('name the mistake where two nodes have one name', async () => {
    const nats = await startNats();
    const first = await node(nats.url, 'node1');
    const second = await node(nats.url, 'node1');
    for (const { link } of [first, second])
      await until(() => /another node is named node1 too: .*--node-name/.test(link.problems.join()));
    await second.link.close();
    await until(() => first.link.problems.length === 0);
  });

  it('of another prefix stay apart', async () => {
    const nats = await startNats();
    const a = await node(`${nats.url}/one`, 'a');
    const b = await node(`${nats.url}/two`, 'b');
    const c = await node(`${nats.url}/one`, 'c');
    await until(() => [a, b, c].every(({ link }) => link.connected()));
    const [apart, together] = [reader(), reader()];
    b.broker.subscribe(apart, toSpeed);
    c.broker.subscribe(together, toSpeed);
    await Promise.all([b.broker.settled(), c.broker.settled()]);
    a.write('cars', 'car', speed(1));
    await until(() => together.events.length === 1);
    await b.broker.settled();
    assert.deepEqual(apart.events, []);
  });
});
