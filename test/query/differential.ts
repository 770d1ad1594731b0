import assert from 'node:assert/strict';
import { type Reply, send } from '../e2e/service.ts';
import type { Random } from '../store/embedded/random.ts';
import { compareAnswer } from './compare-answer.ts';
import { payloadJson, randomPayload } from './random-data.ts';
import {
  type RandomRange,
  randomDelete,
  randomRequest,
  randomStreams,
  requestJson,
} from './random-request.ts';
import {
  type Answer,
  answerOf,
  countBuckets,
  type DataRequest,
  mayBeTooFine,
  mostBuckets,
  type ReferenceRow,
} from './reference.ts';
import { type Payload, type ReferenceData, referenceData } from './reference-data.ts';

/** A service under test. */
export interface Door {
  readonly url: string;
  /** Stops it, in one way or another, and starts it again on the same data. */
  restart(): Promise<void>;
}

interface Scenario {
  readonly random: Random;
  readonly door: Door;
  readonly data: ReferenceData;
  ballast: number;
}

/** Steps of a scenario: writes, reads, deletes and restarts by chance, then reads of what has become of it. */
export async function runScenario(random: Random, door: Door, steps: number): Promise<void> {
  const scenario: Scenario = { random, door, data: referenceData(), ballast: 0 };
  for (let step = 0; step < steps; step++) {
    const chance = random.next();
    if (step < 5 || chance < 0.3) await write(scenario);
    else if (chance < 0.9) await compareRead(scenario);
    else if (chance < 0.95) await deleteRange(scenario);
    else if (chance < 0.98) await deleteOrRestore(scenario);
    else await door.restart();
  }
  await door.restart();
  for (let read = 0; read < steps / 4; read++) await compareRead(scenario);
}

/** A write of one stream or, in one request, of several of one topic; now and then ballast after it. */
async function write(scenario: Scenario): Promise<void> {
  const { random, data } = scenario;
  const first = randomPayload(random);
  const epoch = random.pick([0n, 0n, 1n, 1_700_000_000_000_000_000n]);
  if (random.chance(0.7)) {
    await post(scenario, `${streamPath(first)}/parameters/data`, payloadJson(first, epoch));
    data.write(first);
  } else {
    const others = Array.from({ length: random.int(0, 3) }, () => randomPayload(random));
    const payloads = [first, ...others.map((other) => ({ ...other, topic: first.topic }))];
    const entries = payloads.map(
      (payload) => `{"streamId":${JSON.stringify(payload.streamId)},${payloadJson(payload, epoch).slice(1)}`,
    );
    await post(scenario, `/topics/${first.topic}/parameters/data`, `[${entries}]`);
    payloads.forEach(data.write);
  }
  if (random.chance(0.5)) await writeBallast(scenario, first);
}

/**
 * Fills most of a slab with a parameter that no request names, so that the rows beside it are spread over head,
 * log and parts, and parts are merged, without many rows that the reference has to look at.
 */
async function writeBallast(scenario: Scenario, { topic, streamId, rows }: Payload): Promise<void> {
  const ballast = {
    topic,
    streamId,
    rows: rows.slice(0, 20).map(({ timestamp }) => ({
      timestamp,
      tags: new Map<string, string>(),
      values: new Map([['string:ballast', String(scenario.ballast++).padEnd(40_000, '-')]]),
    })),
  };
  await post(scenario, `${streamPath(ballast)}/parameters/data`, payloadJson(ballast, 0n));
  scenario.data.write(ballast);
}

function streamPath({ topic, streamId }: { topic: string; streamId: string }): string {
  return `/topics/${topic}/streams/${encodeURIComponent(streamId)}`;
}

async function deleteRange(scenario: Scenario): Promise<void> {
  const range: RandomRange = randomDelete(scenario.random, timesOf(scenario.data.rows()));
  const text = await post(scenario, '/parameters/data/delete', requestJson(range.body));
  assert.deepEqual(JSON.parse(text), { deleted: scenario.data.deleteRange(range) }, requestJson(range.body));
}

async function deleteOrRestore(scenario: Scenario): Promise<void> {
  const { random, data } = scenario;
  const selection = randomStreams(random);
  if (random.chance(0.5)) {
    const text = await post(scenario, '/streams/restore', JSON.stringify(selection));
    assert.deepEqual(JSON.parse(text), { restored: data.restoreStreams(selection) });
    return;
  }
  const hardDelete = random.chance(0.4);
  const text = await post(scenario, '/streams/delete', JSON.stringify({ ...selection, hardDelete }));
  assert.deepEqual(JSON.parse(text), { deleted: data.deleteStreams(selection, hardDelete) });
}

/** Times at which there are rows: edges of ranges. */
function timesOf(rows: readonly ReferenceRow[]): bigint[] {
  return rows.map(({ timestamp }) => timestamp);
}

/** The largest number of buckets that the reference is patient enough to make. */
const patience = 3000;

async function compareRead(scenario: Scenario): Promise<void> {
  const { random, data } = scenario;
  const rows = data.rows();
  const { request, expected } = drawRequest(random, rows);
  const body = requestJson(random.chance(0.1) ? inPascalCase(request) : request);
  try {
    if (expected !== 'too many') await comparePages(scenario, request, body, expected);
    else expectTooManyBuckets(await send(scenario.door.url, '/parameters/data', { body }));
  } catch (error) {
    throw new Error(`${(error as Error).message}\nin the answer to ${body}`, { cause: error });
  }
}

/** Seldom one whose answer is empty or refused, and none that the reference has not the patience for. */
function drawRequest(
  random: Random,
  rows: readonly ReferenceRow[],
): { request: DataRequest; expected: Answer | 'too many' } {
  const times = rows.map(({ timestamp }) => timestamp);
  for (;;) {
    const request = randomRequest(random, times);
    const buckets = countBuckets(rows, request);
    if (buckets > patience && buckets <= mostBuckets) continue;
    const expected = buckets > mostBuckets ? 'too many' : answerOf(rows, request);
    const isTelling = expected !== 'too many' && expected.rows.length > 0;
    if (isTelling || random.chance(0.1)) return { request, expected };
  }
}

function expectTooManyBuckets(answer: Reply): void {
  assert.deepEqual([answer.status, answer.json<{ code: string }>().code], [400, 'too_many_buckets']);
}

/** The whole answer, then sometimes a part of it or all of its pages, of sizes that change on the way. */
async function comparePages(
  { random, door }: Scenario,
  request: DataRequest,
  body: string,
  expected: Answer,
): Promise<void> {
  const path = random.chance(0.3) ? '/parameters/data?int64=string' : '/parameters/data';
  const whole = await send(door.url, path, { body });
  if (whole.status === 400 && mayBeTooFine(request)) return expectTooManyBuckets(whole);
  assert.equal(whole.status, 200, whole.text);
  assert.equal(whole.headers['pitwall-next-cursor'], undefined);
  const count = expected.rows.length;
  compareAnswer(whole.text, expected, 0, count);
  if (random.chance(0.5)) return;
  const most = random.pick([1, 2, 10, 1000]);
  const pages = random.pick([1, 2, 30]);
  let cursor: string | undefined;
  for (let page = 0, at = 0; page < pages && at <= count; page++) {
    const limit = random.int(1, Math.max(most, Math.ceil(count / 20)));
    const answer = await send(door.url, path, { body: requestJson({ ...request, limit, cursor }) });
    assert.equal(answer.status, 200, answer.text);
    const next = Math.min(count, at + limit);
    const place = `rows ${at} to ${next} of ${count}, limit ${limit}`;
    try {
      compareAnswer(answer.text, expected, at, next);
    } catch (error) {
      throw new Error(`${place}: ${(error as Error).message}`, { cause: error });
    }
    cursor = answer.headers['pitwall-next-cursor'] as string | undefined;
    assert.equal(cursor !== undefined, next < count, `a cursor after ${place}`);
    if (cursor === undefined) return;
    at = next;
  }
}

function inPascalCase(value: unknown): object {
  if (Array.isArray(value))
    return value.map((element) => (isRecord(element) ? inPascalCase(element) : element));
  return Object.fromEntries(
    Object.entries(value as object).map(([name, member]) => [
      name.charAt(0).toUpperCase() + name.slice(1),
      Array.isArray(member) || isRecord(member) ? inPascalCase(member) : member,
    ]),
  );
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Sends a body that must be taken. */
async function post({ door }: Scenario, path: string, body: string): Promise<string> {
  const answer = await send(door.url, path, { body });
  assert.equal(answer.status, 200, `${path} ${body.slice(0, 500)}: ${answer.text}`);
  return answer.text;
}
