import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { JsonObject, JsonValue } from '../../src/wire/json/json-value.ts';
import { decodeJson } from '../../src/wire/json/value.ts';
import { type Reply, type Sent, send } from '../e2e/service.ts';
import { differences, isLike } from './compare.ts';
import { encode, fill, integer, plainText } from './fill.ts';
import type { Asker, Compression, Script, Step } from './script.ts';
import { tableOf } from './table.ts';

/** The service that the scripts are run against. Its admin token is one of the default workspace. */
export interface Target {
  readonly url: string;
  readonly adminToken: string;
  /** Of replicas, each of which may be asked: how far the one was that answered last, in the words of its header. */
  seen?: string | undefined;
}

/** What a script that has run leaves behind, for asking its reads again. */
export interface Run {
  readonly script: Script;
  readonly tokens: Map<Asker, string>;
  readonly bindings: Map<string, JsonValue>;
}

/** Runs a script in a workspace of its own. Throws an error that names the step and the difference. */
export async function runScript(target: Target, script: Script, workspace: string): Promise<Run> {
  const bindings = new Map<string, JsonValue>([
    ['workspace', workspace],
    ['now', integer(BigInt(Date.now()) * 1_000_000n)],
  ]);
  const run: Run = { script, tokens: new Map([['operator', target.adminToken]]), bindings };
  await operate(target, '/admin/workspaces', { name: workspace });
  for (const [i, step] of script.steps.entries()) await runStep(target, run, step, i);
  return run;
}

/** Of what a script read last: all, or the first of each call that is answered, and all that is refused. */
export type Again = 'all' | 'each call';

/** Asks again what the script read after its last change: nothing but time may have passed since. */
export async function askAgain(target: Target, run: Run, again: Again): Promise<void> {
  const { steps } = run.script;
  const first = steps.findLastIndex((step) => step.status < 300 && !isRead(step)) + 1;
  const asked = new Set<string>();
  for (const [i, step] of steps.entries()) {
    if (i < first) continue;
    const call = `${step.method} ${step.path}`;
    if (again === 'each call' && step.status < 300 && asked.has(call)) continue;
    if (step.status < 300) asked.add(call);
    await runStep(target, run, step, i);
  }
}

const readCalls: ReadonlySet<string> = new Set([
  '/streams',
  '/streams/models',
  '/parameters',
  '/events',
  '/parameters/data',
  '/events/data',
  '/topics',
  '/tags',
  '/tags/values',
]);

function isRead({ method, path }: Step): boolean {
  return method === 'GET' || (method === 'POST' && readCalls.has(path.split('?', 1)[0]!));
}

async function runStep(target: Target, run: Run, step: Step, index: number): Promise<void> {
  const { bindings } = run;
  const path = step.path.replace(/\$\{([^}]+)\}/g, (name) =>
    encodeURIComponent(plainText(fill(name, bindings))),
  );
  const sent = await requestOf(target, run, step);
  const deadline = Date.now() + longestWaitMs;
  for (;;) {
    const reply = await ask(target, path, sent);
    const found = await check(step, reply, run);
    if (found.length === 0) return;
    if (step.eventually && Date.now() < deadline) {
      await pause(pauseMs);
      continue;
    }
    assert.fail(
      [`step ${index + 1}, ${step.method} ${path}: ${run.script.rule}`, ...found, shortened(reply.text)].join(
        '\n  ',
      ),
    );
  }
}

/** Of replicas the next one is as far as those that answered before. */
async function ask(target: Target, path: string, sent: Sent): Promise<Reply> {
  const { seen } = target;
  const headers = seen === undefined ? sent.headers : { ...sent.headers, [sequenceHeader]: seen };
  const reply = await send(target.url, path, { ...sent, ...(headers && { headers }) });
  const given = reply.headers[sequenceHeader];
  if (typeof given === 'string' && Number(given) > Number(target.seen ?? 0)) target.seen = given;
  return reply;
}

const sequenceHeader = 'pitwall-sequence';

/** For steps that say `eventually`: how long they are asked, and how often. */
const longestWaitMs = 20_000;
const pauseMs = 50;

async function requestOf(target: Target, run: Run, step: Step): Promise<Sent> {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of fill(step.headers, run.bindings) as JsonObject) {
    headers[name.toLowerCase()] = value === null ? undefined : plainText(value);
  }
  const text =
    step.body === undefined
      ? step.bodyText && plainText(fill(step.bodyText, run.bindings))
      : encode(fill(step.body, run.bindings));
  if (step.compress !== undefined) headers['content-encoding'] = step.compress;
  const body = step.compress === undefined ? text : compressed(text ?? '', step.compress);
  // Node's client gives the body of a DELETE no length by itself.
  if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
  const token = step.as === 'nobody' ? null : await tokenOf(target, run, step.as);
  return { method: step.method, headers, token, ...(body === undefined ? {} : { body }) };
}

function compressed(text: string, form: Compression): Uint8Array {
  return { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[form](text);
}

/** Tokens are made when a script first needs them. */
async function tokenOf(target: Target, { tokens, bindings }: Run, asker: Asker): Promise<string> {
  const existing = tokens.get(asker);
  if (existing !== undefined) return existing;
  let workspace = plainText(bindings.get('workspace')!);
  if (asker === 'stranger') {
    workspace += '-strange';
    await operate(target, '/admin/workspaces', { name: workspace });
  }
  const scope = asker === 'stranger' ? 'admin' : asker;
  const { token } = await operate<{ token: string }>(target, '/admin/tokens', { workspace, scopes: [scope] });
  tokens.set(asker, token);
  return token;
}

async function operate<Answer>(target: Target, path: string, body: object): Promise<Answer> {
  const reply = await ask(target, path, { token: target.adminToken, body: JSON.stringify(body) });
  assert.equal(reply.status, 200, reply.text);
  return reply.json<Answer>();
}

/** The differences between the reply and what the step expects; captures what it names where there are none. */
async function check(step: Step, reply: Reply, { bindings }: Run): Promise<string[]> {
  // Then nothing else can be as expected.
  if (reply.status !== step.status) return [`the status is ${reply.status}, expected ${step.status}`];
  const found: string[] = [];
  const { answer, contains, answerText, answerLines, answerTable } = step;
  const isSpelledOut = answer !== undefined || answerText !== undefined;
  if (step.status >= 400 && !isSpelledOut) found.push(...problemFaults(reply));
  const parsed = () => decodeJson(reply.bytes);
  const filled = (value: JsonValue) => fill(value, bindings);
  try {
    if (answer !== undefined) found.push(...differences(filled(answer), parsed()));
    if (contains !== undefined) found.push(...differences(filled(contains), parsed(), { partial: true }));
    if (answerTable !== undefined) found.push(...differences(filled(answerTable), await tableOf(reply)));
  } catch (error) {
    found.push(`the answer cannot be read: ${String(error)}`);
  }
  if (answerText !== undefined) found.push(...differences(filled(answerText), reply.text));
  if (answerLines !== undefined) {
    found.push(...differences(filled(answerLines), reply.text.replace(/\r?\n$/, '').split(/\r?\n/)));
  }
  for (const [name, expected] of filled(step.headersExpected) as JsonObject) {
    const given = reply.headers[name.toLowerCase()] ?? null;
    const isExpected = typeof expected === 'string' ? isLike(expected, given) : expected === given;
    if (!isExpected) found.push(`the header ${name} is ${encode(given)}, expected ${encode(expected)}`);
  }
  if (found.length === 0) capture(step, reply, bindings);
  return found;
}

/** What every error has (contract, section 1). */
function problemFaults(reply: Reply): string[] {
  const type = String(reply.headers['content-type']);
  if (!type.startsWith('application/problem+json')) return [`the error is ${type}, not a problem`];
  const problem = reply.json<Record<string, unknown>>();
  const found = ['type', 'title', 'status', 'detail', 'code', 'requestId']
    .filter((name) => problem[name] === undefined)
    .map((name) => `the problem has no ${name}`);
  if (problem['status'] !== reply.status) found.push(`the problem has the status ${problem['status']}`);
  return found;
}

function capture(step: Step, reply: Reply, bindings: Map<string, JsonValue>): void {
  for (const [name, path] of step.capture) bindings.set(name, memberAt(decodeJson(reply.bytes), path));
  for (const [name, header] of step.captureHeaders) {
    const value = reply.headers[header.toLowerCase()];
    assert.equal(typeof value, 'string', `there is no header ${header} to capture`);
    bindings.set(name, String(value));
  }
}

function memberAt(value: JsonValue, path: string): JsonValue {
  let at: JsonValue | undefined = value;
  for (const [, member, index] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    at =
      member === undefined
        ? (at as readonly JsonValue[])[Number(index)]
        : (at as JsonObject | undefined)?.get(member);
  }
  assert.ok(at !== undefined, `there is no ${path} to capture`);
  return at;
}

function shortened(text: string): string {
  return `answered: ${text.length > 2000 ? `${text.slice(0, 2000)}…` : text}`;
}
