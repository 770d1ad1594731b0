import assert from 'node:assert/strict';
import { join } from 'node:path';
import { adminToken, type RunningService, run, send, temporaryFolder } from './service.ts';

export type Service = Pick<RunningService, 'url'>;

export async function must(
  { url }: Service,
  method: string,
  path: string,
  body?: unknown,
  token?: string,
): Promise<string> {
  const text =
    body === undefined || typeof body === 'string' ? (body as string | undefined) : JSON.stringify(body);
  const given = token === undefined ? {} : { token };
  const answer = await send(url, path, { method, ...given, ...(text !== undefined && { body: text }) });
  assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`);
  return answer.text;
}

/** Tokens of people of a filled service, by the workspace that they are of. */
export interface Filled {
  readonly tokens: Readonly<Record<string, string>>;
  readonly shareToken: string;
}

/** Writes something of every kind that a service keeps, into three workspaces. */
export async function fill(service: Service): Promise<Filled> {
  const made = JSON.parse(
    await must(service, 'POST', '/admin/workspaces', {
      name: 'racing',
      retention: '200y',
      maxStreams: 500,
      maxBytes: 1e9,
    }),
  ) as object;
  assert.ok(made);
  await must(service, 'POST', '/admin/workspaces', { name: 'empty' });
  const tokens: Record<string, string> = {};
  for (const workspace of ['default', 'racing', 'empty']) {
    const request = { workspace, scopes: ['admin'], name: `admin of ${workspace}` };
    tokens[workspace] = (
      JSON.parse(await must(service, 'POST', '/admin/tokens', request)) as { token: string }
    ).token;
  }
  await must(service, 'POST', '/admin/tokens', { scopes: ['read'], expires: '2200-01-01T00:00:00Z' });
  for (const workspace of ['default', 'racing']) await fillWorkspace(service, tokens[workspace]!);
  const share = await must(service, 'POST', '/views/braking/share', {}, tokens['racing']);
  return { tokens, shareToken: (JSON.parse(share) as { token: string }).token };
}

async function fillWorkspace(service: Service, token: string): Promise<void> {
  const call = (method: string, path: string, body?: unknown) => must(service, method, path, body, token);
  const rows = (topic: string, stream: string, body: unknown) =>
    call('POST', `/topics/${topic}/streams/${stream}/parameters/data`, body);
  await call('PUT', '/topics/Cars', { retention: '100y' });
  await call('PUT', '/topics/quiet', {});
  await call('PUT', '/topics/Cars/streams/lap-1', {
    name: 'Lap one',
    location: '/Monza/2026',
    metadata: { driver: 'Ada', näme: 'é "quoted"' },
    parents: ['session'],
    timeOfRecording: '2020-01-02T03:04:05.678Z',
  });
  await call('POST', '/topics/Cars/streams', { streamId: 'session' });
  await rows(
    'Cars',
    'lap-1',
    '{"timestamps":[1591733989000000001,1591733989000000001,1591733989000000002,-5,9223372036854775806],' +
      '"numericValues":{"Speed":[1.1,-0,"NaN",5e-324,1.7976931348623157e308],"Load":[null,"Infinity","-Infinity",null,0]},' +
      '"stringValues":{"Tyre":["soft","",null,"ü\\n\\"",null],"Speed":["text of the same name",null,null,null,null]},' +
      '"binaryValues":{"Raw":["AAEC",null,"","/+8=",null]},' +
      '"tagValues":{"Lap":["1","2",null,"1","x"],"Side":[null,"left",null,"",null]}}',
  );
  // Rows of columns that have times of their own: more than the first page of a copy has.
  for (let column = 0; column < 6; column++) {
    const timestamps = Array.from({ length: 700 }, (_, i) =>
      String(1_600_000_000_000_000_000n + BigInt(i * 6 + column)),
    );
    const values = timestamps.map((_, i) => Math.sin(i + column));
    await rows('Cars', 'sparse', { timestamps, numericValues: { [`p${column}`]: values } });
  }
  await call('POST', '/topics/Cars/streams/sparse/close', { endType: 'Aborted' });
  await call('POST', '/topics/Cars/streams/lap-1/close');
  await call('PUT', '/topics/Cars/streams/lap-1/parameters', [
    {
      id: 'Speed',
      name: 'Speed of the car',
      description: 'over ground',
      minimumValue: -1,
      maximumValue: 400.5,
      unit: 'km/h',
      format: '{0:.1f}',
      customProperties: '{"a":1}',
      location: '/Chassis',
      valueNames: { 0: 'PIT', '1.5': 'OUT' },
    },
    { id: 'Defined', unit: 'bar' },
    { id: 'Bare' },
  ]);
  await call('PUT', '/topics/Cars/streams/lap-1/events', [
    { id: 'bare' },
    {
      id: 'pit',
      name: 'Pit stop',
      description: 'in and out',
      level: 'Warning',
      customProperties: 'x',
      location: '/Box',
    },
  ]);
  const events = Array.from({ length: 2100 }, (_, i) => ({
    id: i % 3 === 0 ? 'pit' : 'marker',
    timestamp: String(1_591_733_989_000_000_000n + BigInt(i) * 1_000_003n),
    value: i % 2 === 0 ? `value ${i}` : '',
    tags: i % 5 === 0 ? { Lap: String(i % 7), Extra: 'é' } : {},
  }));
  await call('POST', '/topics/Cars/streams/lap-1/events/data', events);
  await rows('Ends', 'far', {
    timestamps: ['-9223372036854775808', '9223372036854775807'],
    numericValues: { n: [1, 2] },
  });
  await rows('Ends', 'no-values', { timestamps: [], numericValues: {} });
  await rows('Ends', 'binned', { timestamps: [1], numericValues: { n: [1] } });
  await call('POST', '/streams/delete', { streamIds: ['binned'] });
  await call('PUT', '/topics/Cars/calculated', [
    { id: 'Metres', expression: 'Speed / 3.6', unit: 'm/s', description: 'of Speed', minimumValue: 0 },
    { id: 'Twice', expression: 'Metres * 2' },
  ]);
  await rows('Cars', 'both', { timestamps: [1, 2], numericValues: { Speed: [1, 2], Twice: [null, 5] } });
  await call('PUT', '/topics/never-written/calculated', [{ id: 'Half', expression: 'x / 2' }]);
  await call('PUT', '/views/braking', {
    name: 'Braking',
    topic: 'Cars',
    streamIds: ['lap-1'],
    state: { plots: [{ a: 1 }], text: 'é "' },
  });
  await call('PUT', '/views/plain', { name: 'Plain', state: [1, 2.5, null] });
  await call('PUT', '/topics/Cars/alerts/fast', {
    expression: 'Speed > 200',
    for: '5s',
    clear: 'Speed < 100',
    streams: { location: '/Monza' },
    level: 'Critical',
    text: 'too fast',
  });
  await call('PUT', '/topics/Watched/alerts/high', { expression: 'previous(x) > 5', noDataFor: '300d' });
  await rows('Watched', 'sensor', { timestamps: [1, 2, 3], numericValues: { x: [1, 9, 8] } });
}

const clocks = ['createdAt', 'lastUpdate', 'updatedAt', 'requestId'];

/** An answer without the times at which its service was written to. */
function comparable(text: string): unknown {
  // Rows have none, and are many.
  if (!clocks.some((name) => text.includes(`"${name}"`))) return JSON.parse(text);
  return JSON.parse(text, (name, value: unknown) => (clocks.includes(name) ? undefined : value));
}

const isOpen = (text: string) => text.replaceAll('"Interrupted"', '"Open"');

/** Every answer about what a workspace has. */
export async function answersOf(service: Service, token: string): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    name = `${method} ${path}`,
  ): Promise<unknown> => {
    answers[name] = comparable(isOpen(await must(service, method, path, body, token)));
    return answers[name];
  };
  const topics = (await ask('POST', '/topics?int64=string', {})) as { name: string }[];
  await ask('POST', '/events', {});
  await ask('GET', '/views');
  await ask('POST', '/alerts?int64=string', {});
  for (const topic of [...topics.map(({ name }) => name), 'never-written']) {
    await ask('GET', `/topics/${topic}/calculated`);
    await ask('GET', `/topics/${topic}/alerts`);
  }
  const ordering = [{ by: 'topic' }, { by: 'streamId' }];
  const streams = (await ask('POST', '/streams?int64=string', { ordering })) as {
    topic: string;
    streamId: string;
  }[];
  for (const { topic, streamId } of streams) {
    const of = { topic, streamIds: [streamId] };
    const named = async (path: string, body: object) =>
      await ask('POST', path, { ...of, ...body }, `${path} of ${topic}/${streamId}`);
    const listed = (await named('/parameters', {})) as { parameterId: string; type: string }[];
    const tags = (await named('/tags', {})) as { name: string }[];
    const wanted = (type: string) =>
      listed.filter((one) => one.type === type).map(({ parameterId }) => ({ parameterName: parameterId }));
    const asked = {
      numericParameters: [...wanted('Numeric'), ...wanted('Calculated')],
      stringParameters: wanted('String'),
      binaryParameters: wanted('Binary'),
    };
    const groupBy = tags.map(({ name }) => name);
    const count = Object.values(asked).reduce((sum, list) => sum + list.length, 0);
    if (count > 0) await named('/parameters/data?int64=string', { ...asked, groupBy });
    await named('/events/data?int64=string', {});
    await named('/events', {});
  }
  return answers;
}

/** Of the copy, whose services have the same token. */
export const env = { PITWALL_TOKEN: adminToken };

export function argsOf(from: string, to: Service, notes = join(temporaryFolder(), 'notes')): string[] {
  return ['copy', '--from', from, '--to', to.url, '--notes', notes];
}

/** Runs a copy that succeeds; gives what it says. */
export async function copy(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(args, env);
  assert.equal(code, 0, stderr + stdout);
  return stdout;
}

/** Holds every answer of one service against that of the other. */
export async function compare(
  source: Service,
  target: Service,
  { tokens }: Pick<Filled, 'tokens'>,
): Promise<void> {
  const admins = async (service: Service, path: string) =>
    (JSON.parse(await must(service, 'GET', path)) as { name?: string; createdAt?: string }[])
      .filter(({ name }) => name !== 'pitwall copy')
      .map((one) => (path.includes('workspaces') ? { ...one, createdAt: undefined } : one));
  for (const path of ['/admin/workspaces', '/admin/tokens'])
    assert.deepEqual(await admins(target, path), await admins(source, path), path);
  for (const token of Object.values(tokens)) {
    const expected = await answersOf(source, token);
    const given = await answersOf(target, token);
    for (const [name, answer] of Object.entries(expected)) assert.deepEqual(given[name], answer, name);
    assert.deepEqual(Object.keys(given), Object.keys(expected));
  }
}
