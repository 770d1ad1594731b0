import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import { PitwallError } from '../../../../src/errors.ts';
import { longBodyBytes } from '../../../../src/wire/json/in-slices.ts';
import type { Step } from '../../../round-steps.ts';
import type { Random } from '../../../store/embedded/random.ts';
import {
  changeStream,
  close,
  type Deleting,
  define,
  definitionsOf,
  deleteRange,
  isCertain,
  keyOf,
  type PlainAlerts,
  type Properties,
  putRule,
  removeRule,
  setProperties,
  tested,
  tick,
  writeRows,
} from './plain-alerts.ts';
import type { PlainRow } from './plain-expressions.ts';
import { canBeEvaluated, lastAllowed, type PlainRule } from './plain-rule.ts';
import { marked, payloadOf, randomRows, rowsOfFuture } from './random-rows.ts';
import { calculatedNames, randomDefinition, randomRule, ruleJson, ruleNames } from './random-rules.ts';
import { away, kill, pass, type Request, restart, take, takeAtOnce, type World } from './world.ts';

const topics = ['t', 't', 't', 't', 'T', 'u'];

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? String(item) : item)));
}

const neverAborted = () => new AbortController().signal;

/** Mostly the first one, any of those that were written, or a new one. */
function someStream(world: World, random: Random): string {
  const { streamIds } = world;
  if (random.chance(0.03)) streamIds.push(`new${streamIds.length}`);
  return random.chance(0.4) ? streamIds[0]! : random.pick(streamIds);
}

function rowsFor(world: World, random: Random, topic: string, streamId: string): PlainRow[] {
  const key = keyOf(topic, streamId);
  const clocks = world.clocks.get(key) ?? new Map();
  world.clocks.set(key, clocks);
  const isAgain = world.earlier.length > 0 && random.chance(0.1);
  const rows = isAgain ? random.pick(world.earlier) : randomRows(random, world.kinds, clocks, world.begin);
  if (!isAgain && random.chance(0.1)) {
    const more = rowsOfFuture(random, lastAllowed(world.now));
    rows.splice(random.int(0, rows.length), random.chance(0.3) ? rows.length : 0, ...more);
  }
  world.earlier.push(rows);
  return marked(rows, ++world.requests);
}

function aWrite(world: World, random: Random): Request {
  const topic = random.pick(topics);
  const { now, service } = world;
  // A long body is decoded and judged in slices.
  const padding = random.chance(0.15) ? ' '.repeat(longBodyBytes) : '';
  const bodyOf = (value: object) => Buffer.concat([json(value), Buffer.from(padding)]);
  world.counts.writes++;
  if (random.chance(0.8)) {
    const streamId = someStream(world, random);
    const rows = rowsFor(world, random, topic, streamId);
    return {
      what: `write ${topic} ${streamId} ${textOf(rows)}`,
      ask: () => {
        const body = bodyOf(payloadOf(rows));
        return service.writer.parameterData({ workspace: 'w', topic, streamId, signal: neverAborted }, body);
      },
      apply: (plain) => writeRows(plain, topic, [[streamId, rows]], now),
    };
  }
  const written = Array.from({ length: random.int(1, 4) }, () => {
    const streamId = someStream(world, random);
    return [streamId, rowsFor(world, random, topic, streamId)] as const;
  });
  const body = bodyOf(written.map(([streamId, rows]) => ({ streamId, ...payloadOf(rows) })));
  return {
    what: `write ${topic} ${written.map(([streamId, rows]) => `${streamId} ${textOf(rows)}`)}`,
    ask: () => service.writer.parameterDataBatch({ workspace: 'w', topic, signal: neverAborted }, body),
    apply: (plain) => writeRows(plain, topic, written, now),
  };
}

function textOf(rows: readonly PlainRow[]): string {
  return rows
    .map(({ time, tag, values }) => `${time}${tag} ${Object.entries(values).map(([n, v]) => `${n}=${v}`)}`)
    .join('; ');
}

/** Of a rule that is there often a little is new, or nothing. */
function aRule(world: World, random: Random) {
  const topic = random.pick(topics);
  const name = random.pick(ruleNames);
  const before = world.possible[0]!.rules.get(keyOf(topic, name))?.rule;
  let rule = randomRule(random, world.kinds, name, world.streamIds);
  if (before !== undefined && random.chance(0.6)) {
    const fields = random.pick([
      [],
      ['forNs'],
      ['clear'],
      ['noDataForMs'],
      ['streams'],
      ['text'],
      ['webhook'],
    ]);
    const others = Object.entries(before).filter(([field]) => !fields.includes(field));
    const given = Object.entries(rule).filter(([field]) => fields.includes(field));
    rule = Object.fromEntries([...others, ...given]) as unknown as PlainRule;
  }
  return { topic, name, before, rule };
}

function aPut(
  world: World,
  { topic, name, rule }: Pick<ReturnType<typeof aRule>, 'topic' | 'name' | 'rule'>,
) {
  const { service } = world;
  return {
    what: `put ${topic} ${name} ${JSON.stringify(ruleJson(rule))}`,
    ask: () => service.put(name, ruleJson(rule), topic),
    apply: (plain: PlainAlerts) => putRule(plain, topic, name, rule),
  };
}

/** One that cannot be evaluated with the calculated parameters of its topic is refused, where it says anything new. */
async function put(world: World, random: Random): Promise<void> {
  const given = aRule(world, random);
  const { topic, before, rule } = given;
  const request = aPut(world, given);
  const isSame = before !== undefined && isDeepStrictEqual(ruleJson(before), ruleJson(rule));
  if (isSame || canBeEvaluated(rule, definitionsOf(world.possible[0]!, topic))) return take(world, request);
  world.note(`${request.what}: to be refused`);
  await assert.rejects(request.ask(), (error: PitwallError) => error.code === 'bad_expression');
}

function aRemoval(world: World, random: Random): Request | undefined {
  const key = random.pick([undefined, ...world.possible[0]!.rules.keys()]);
  if (key === undefined) return undefined;
  const [topic, name] = key.split('\n') as [string, string];
  const { service } = world;
  return {
    what: `remove ${topic} ${name}`,
    ask: () => service.admin.remove('w', topic, name),
    apply: (plain) => removeRule(plain, topic, name),
  };
}

async function remove(world: World, random: Random): Promise<void> {
  const request = aRemoval(world, random);
  if (request !== undefined) await take(world, request);
}

async function calculate(world: World, random: Random): Promise<void> {
  const topic = random.pick(topics);
  const id = random.pick(calculatedNames);
  const isThere = definitionsOf(world.possible[0]!, topic).has(id);
  if (isThere && random.chance(0.3)) {
    const ask = () => world.calculated.remove('w', topic, id);
    return take(world, {
      what: `undefine ${topic} ${id}`,
      ask,
      apply: (plain) => define(plain, topic, id, undefined),
    });
  }
  const expression = randomDefinition(random, world.kinds, id);
  const what = `define ${topic} ${id} ${expression}`;
  try {
    const ask = () => world.calculated.put('w', topic, json([{ id, expression }]));
    await take(world, { what, ask, apply: (plain) => define(plain, topic, id, expression) });
  } catch (error) {
    // Some stream has written it.
    if (!(error instanceof PitwallError) || error.code !== 'invalid_value') throw error;
  }
}

function aStreamChange(world: World, random: Random): Request | undefined {
  const topic = random.pick(topics);
  const streamId = someStream(world, random);
  const { service } = world;
  const stream = world.possible[0]!.streams.get(keyOf(topic, streamId));
  const isThere = stream !== undefined && !stream.isDeleted;
  if (random.chance(0.35) || stream === undefined) {
    const properties: Properties = {
      ...(random.chance(0.3) && { name: random.pick(['The one', 'the other']) }),
      ...(random.chance(0.6) && { location: random.pick(['/one', '/one/deep', '/one111', 'two/three']) }),
      ...(random.chance(0.6) && { metadata: random.pick([{ car: '7' }, { car: '8' }, { driver: '7' }]) }),
      ...(random.chance(0.3) && { parents: ['s0'] }),
    };
    return {
      what: `properties ${topic} ${streamId} ${JSON.stringify(properties)}`,
      ask: () => service.writer.updateStream({ workspace: 'w', topic, streamId }, json(properties)),
      apply: (plain) => setProperties(plain, topic, streamId, properties),
    };
  }
  if (isThere && random.chance(0.3)) {
    const endType = random.pick(['Closed', 'Aborted', 'Terminated']);
    return {
      what: `close ${topic} ${streamId} ${endType}`,
      ask: () => service.writer.closeStream({ workspace: 'w', topic, streamId }, json({ endType })),
      apply: (plain) => close(plain, topic, streamId, endType),
    };
  }
  const action: Deleting = random.pick(['softDelete', 'softDelete', 'restore', 'restore', 'hardDelete']);
  return {
    what: `${action} ${topic} ${streamId}`,
    ask: () => service.writer.changeStreams('w', action, { topic, streamIds: [streamId] }),
    apply: (plain) => changeStream(plain, topic, streamId, action),
  };
}

async function changeStreams(world: World, random: Random): Promise<void> {
  const request = aStreamChange(world, random);
  if (request !== undefined) await take(world, request);
}

async function deleteRows(world: World, random: Random): Promise<void> {
  const topic = random.pick(topics);
  const streamId = someStream(world, random);
  const last = [...(world.clocks.get(keyOf(topic, streamId))?.values() ?? [])].at(-1) ?? world.begin;
  const isFuture = random.chance(0.3);
  const to = isFuture ? maxTimestamp : last - BigInt(random.int(-3, 10));
  const from = isFuture ? lastAllowed(world.now) : to - BigInt(random.int(0, 20));
  const selection = { workspace: 'w', streamIds: [streamId], topic, from, to, tagFilters: [] };
  await take(world, {
    what: `delete ${topic} ${streamId} ${from} to ${to}`,
    ask: () => world.store.deleteRows(selection),
    apply: (plain) => deleteRange(plain, topic, streamId, from, to),
  });
}

function requests(world: World, random: Random): Request[] {
  return Array.from({ length: random.int(2, 4) }, () => {
    const chance = random.next();
    if (chance < 0.6) return aWrite(world, random);
    if (chance < 0.8) return aStreamChange(world, random);
    if (chance < 0.9) {
      const given = aRule(world, random);
      const definitions = definitionsOf(world.possible[0]!, given.topic);
      return canBeEvaluated(given.rule, definitions) ? aPut(world, given) : undefined;
    }
    return aRemoval(world, random);
  }).filter((one) => one !== undefined);
}

async function silence(world: World, random: Random): Promise<void> {
  const { listening } = world;
  await pass(world, random.pick([1, 500, 1000, 60_000, 100_000]));
  while (!world.possible.every((plain) => isCertain(plain, world.now, listening))) await pass(world, 1000);
  world.note(`silence at ${world.now}`);
  for (const plain of world.possible) tick(plain, world.now, listening);
}

/** The process is paused: for nothing else does time pass. */
async function pause(world: World, random: Random): Promise<void> {
  const ms = random.pick([2000, 60_000, 3_600_000]);
  world.note(`pause of ${ms} ms`);
  world.counts.pauses++;
  away(world, ms);
  world.listening.ticked(world.now);
  await world.service.silence.tick();
}

/** Rows that are stored, and their tests, are the same in all that is possible. */
async function test(world: World, random: Random): Promise<void> {
  const plain = world.possible[0]!;
  const key = random.pick([undefined, ...plain.rules.keys()]);
  if (key === undefined) return;
  const [topic, name] = key.split('\n') as [string, string];
  const definitions = definitionsOf(plain, topic);
  if (!canBeEvaluated(plain.rules.get(key)!.rule, definitions)) return;
  const streamIds = world.streamIds.filter(() => random.chance(0.7));
  const from = random.chance(0.5) ? minTimestamp : world.begin + BigInt(random.int(0, 50));
  const to = random.chance(0.5) ? maxTimestamp : from + BigInt(random.int(0, 100));
  world.note(`test ${topic} ${name} of ${streamIds} from ${from} to ${to}`);
  world.counts.tests++;
  const signal = new AbortController().signal;
  const asked = { streamIds, from, to };
  const told = await world.service.queries.test('w', topic, name, asked, signal, () => undefined);
  for (const streamId of streamIds) {
    const own = told.filter((one) => one.streamId === streamId);
    assert.deepEqual(
      own.map(({ state, timestamp }) => `${state} ${timestamp}`),
      tested(plain, topic, name, streamId, from, to, world.now),
      `the test of ${topic} ${name} for ${streamId}`,
    );
  }
}

export const steps: readonly Step<World>[] = [
  { name: 'write', weight: 40, run: (world, random) => take(world, aWrite(world, random)) },
  { name: 'put a rule', weight: 16, run: put },
  { name: 'remove a rule', weight: 2, run: remove },
  { name: 'calculate', weight: 4, run: calculate },
  { name: 'change streams', weight: 10, run: changeStreams },
  { name: 'delete rows', weight: 2, run: deleteRows },
  { name: 'silence', weight: 10, run: silence },
  { name: 'pause', weight: 3, run: pause },
  { name: 'test a rule', weight: 5, run: test },
  { name: 'at once', weight: 6, run: (world, random) => takeAtOnce(world, requests(world, random)) },
  { name: 'restart', weight: 2, run: restart },
  { name: 'kill', weight: 3, run: (world, random) => kill(world, random, requests(world, random)) },
];
