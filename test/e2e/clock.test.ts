import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ClockState } from '../../src/store/embedded/deletes/believed-clock.ts';
import { openManifest } from '../../src/store/embedded/manifest/open-manifest.ts';
import {
  adminToken,
  isOnClickHouse,
  type RunningService,
  run,
  send,
  startService,
  temporaryFolder,
} from './service.ts';

const dayMs = 86_400_000;
const yearSeconds = 365 * 86_400;

const cli = ({ url }: RunningService, ...args: string[]) =>
  run(args, { PITWALL_URL: url, PITWALL_TOKEN: adminToken });

/** A service whose clock is two years ahead of the time that its folder knows. */
async function startTwoYearsLater(dataDir: string): Promise<RunningService> {
  await (await startService({ dataDir })).stop();
  const manifest = await openManifest(join(dataDir, 'catalog'));
  const state: ClockState = { proven: Date.now() - 2 * yearSeconds * 1000 };
  await manifest.commit([{ table: 'meta', key: 'clock', value: state }]);
  await manifest.close();
  return startService({ dataDir });
}

function write({ url }: RunningService, ageMs: number) {
  const body = `{"timestamps":[${Date.now() - ageMs}000000],"numericValues":{"a":[1]}}`;
  return send(url, '/topics/cars/streams/s/parameters/data', { body });
}

async function countRows({ url }: RunningService): Promise<number> {
  const body = '{"numericParameters":[{"parameterName":"a"}]}';
  return (await send(url, '/parameters/data', { body })).json<{ timestamps: number[] }>().timestamps.length;
}

async function heldBackSeconds({ url }: RunningService): Promise<number> {
  const { text } = await send(url, '/metrics');
  return Number(/^pitwall_clock_held_back_seconds (\S+)$/m.exec(text)![1]);
}

const readiness = async ({ url }: RunningService) => {
  const { status, json } = await send(url, '/readyz');
  return { status, problems: json<{ problems: string[] }>().problems };
};

/** Everyone is told that there are problems; what they are only an admin of the default workspace. */
async function onlyAdminsAreTold({ url }: RunningService): Promise<void> {
  await send(url, '/admin/workspaces', { body: '{"name":"other"}' });
  const make = async (request: object) =>
    (await send(url, '/admin/tokens', { body: JSON.stringify(request) })).json<{ token: string }>().token;
  const problemsFor = async (token: string | null) =>
    (await send(url, '/readyz', { token })).json<{ status: string; problems: string[] }>();
  const hidden = {
    status: 'ready',
    problems: ['there are problems; an admin token of the default workspace is shown which'],
  };
  assert.match((await problemsFor(await make({ scopes: ['admin'] }))).problems[0]!, /^the clock of this/);
  for (const token of [
    null,
    'nobodys',
    await make({ scopes: ['read', 'write'] }),
    await make({ scopes: ['admin'], workspace: 'other' }),
  ]) {
    assert.deepEqual(await problemsFor(token), hidden);
  }
}

describe('a clock that jumped ahead', { skip: isOnClickHouse }, () => {
  it('is told everywhere, and takes rows away only when the operator confirms it', async () => {
    const dataDir = temporaryFolder();
    let service = await startTwoYearsLater(dataDir);
    await send(service.url, '/topics/cars', { method: 'PUT', body: '{"retention":"30d"}' });
    for (const age of [dayMs, 40 * dayMs]) {
      const { status, headers } = await write(service, age);
      assert.deepEqual([status, headers['pitwall-expired-rows']], [200, undefined]);
    }
    assert.equal(await countRows(service), 2);

    const { status, problems } = await readiness(service);
    assert.deepEqual([status, problems.length], [200, 1]);
    assert.match(problems[0]!, /^the clock of this machine jumped ahead to .* 'pitwall clock confirm'/);
    assert.match(service.stderr(), /"the clock of this machine jumped ahead to /);
    await onlyAdminsAreTold(service);
    assert.ok(Math.abs((await heldBackSeconds(service)) - 2 * yearSeconds) < 3600);
    const shown = await send(service.url, '/admin/clock');
    assert.deepEqual(Object.keys(shown.json<object>()), [
      'time',
      'believed',
      'heldBackSeconds',
      'believedInSeconds',
    ]);
    const told = await cli(service, 'clock');
    assert.equal(told.code, 0);
    assert.match(told.stdout, /^the clock says \S+Z, and jumped there: rows expire as if it were \S+Z\n/);
    assert.match(told.stdout, /\nit is believed when it has stood for (24 h 0|23 h \d+) min more, or now: /);
    assert.equal(await countRows(service), 2);

    const confirmed = await cli(service, 'clock', 'confirm');
    assert.equal(confirmed.code, 0);
    assert.match(confirmed.stdout, /^the clock says \S+Z, and rows expire by it\n$/);
    for (let restart = 0; restart < 2; restart++) {
      assert.equal(await countRows(service), 1);
      assert.equal((await write(service, 40 * dayMs)).headers['pitwall-expired-rows'], '1');
      assert.deepEqual(await readiness(service), { status: 200, problems: [] });
      assert.equal(await heldBackSeconds(service), 0);
      assert.equal((await cli(service, 'clock')).stdout.split('\n').length, 2);
      // Not a clean stop: what was confirmed is on the disk.
      await service.stop('SIGKILL');
      service = await startService({ dataDir });
    }
  });

  it('lets tokens end by the clock all the same', async () => {
    const service = await startTwoYearsLater(temporaryFolder());
    const past = await cli(
      service,
      'token',
      'create',
      '--expires',
      new Date(Date.now() - dayMs).toISOString(),
    );
    assert.match(past.stderr, /expires is in the past/);
  });
});

describe('pitwall clock', () => {
  it('refuses words that it does not know with exit code 2', async () => {
    for (const words of [['set'], ['confirm', 'now']]) {
      const { code, stderr } = await run(['clock', ...words, '--token', 'x']);
      assert.equal(code, 2);
      assert.match(stderr, /^pitwall: .+\n$/);
    }
    assert.match((await run(['help', 'clock'])).stdout, /^pitwall clock\npitwall clock confirm\n/);
  });
});
