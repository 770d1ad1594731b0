import assert from 'node:assert/strict';
import { adminToken, type RunningService, send } from './service.ts';

/** What stands in everything that is not shared, in names and values. */
export const secret = 'hidden';
export const secretNumber = 424_242;
export const sharedTopic = 'cars';
export const sharedIds = ['lap-1', 'lap-2'] as const;
/** Another stream of the same topic; one of the same id in another topic. */
export const hiddenTopic = 'hidden-topic';
export const hiddenId = 'hidden-lap';

/** A workspace of its own in a service, with requests of its admin. */
export interface Place {
  readonly url: string;
  readonly workspace: string;
  readonly admin: string;
  ask(method: string, path: string, body?: unknown, token?: string): Promise<Asked>;
}

export interface Asked {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export async function makePlace({ url }: Pick<RunningService, 'url'>, workspace: string): Promise<Place> {
  const asked = async (method: string, path: string, body?: unknown, token = adminToken): Promise<Asked> =>
    send(url, path, { method, token, ...(body !== undefined && { body: JSON.stringify(body) }) });
  assert.equal((await asked('POST', '/admin/workspaces', { name: workspace })).status, 200);
  return { url, workspace, admin: await makeToken({ ask: asked, workspace }, ['admin']), ask: asked };
}

export async function makeToken(
  place: Pick<Place, 'ask' | 'workspace'>,
  scopes: readonly string[],
): Promise<string> {
  const { workspace } = place;
  const made = await place.ask('POST', '/admin/tokens', { workspace, scopes });
  assert.equal(made.status, 200, made.text);
  return (JSON.parse(made.text) as { token: string }).token;
}

/** Writes a stream with rows, an event, definitions and properties; `parents` as given. */
async function writeStream(
  { ask, admin }: Place,
  topic: string,
  id: string,
  values: { readonly prefix: string; readonly number: number; readonly parents: readonly string[] },
): Promise<void> {
  const { prefix, number, parents } = values;
  const stream = `/topics/${topic}/streams/${id}`;
  const sent = [
    [
      'PUT',
      stream,
      { name: `${prefix}name`, location: `/${prefix}place`, metadata: { [`${prefix}key`]: 'x' }, parents },
    ],
    [
      'POST',
      `${stream}/parameters/data`,
      {
        timestamps: [number, number + 1],
        numericValues: { Speed: [number, number], [`${prefix}Parameter`]: [1, 2] },
        tagValues: { Lap: [`${prefix}1`, `${prefix}2`], [`${prefix}Tag`]: ['a', 'b'] },
      },
    ],
    ['POST', `${stream}/events/data`, [{ id: `${prefix}event`, timestamp: number, value: `${prefix}value` }]],
    ['PUT', `${stream}/parameters`, [{ id: `${prefix}Defined`, unit: `${prefix}unit` }]],
    ['PUT', `${stream}/events`, [{ id: `${prefix}defined`, description: `${prefix}text` }]],
  ] as const;
  for (const [method, path, body] of sent) {
    const { status, text } = await ask(method, path, body, admin);
    assert.equal(status, 200, `${method} ${path}: ${text}`);
  }
}

/** Writes what is shared and, where it is wanted, what is not: beside it, around it, before and after it. */
export async function fill(place: Place, withHidden: boolean): Promise<void> {
  const hidden = { prefix: secret, number: secretNumber, parents: ['lap-1'] };
  if (withHidden) await writeStream(place, sharedTopic, hiddenId, hidden);
  for (const [i, id] of sharedIds.entries()) {
    const parents = i === 0 ? [] : ['lap-1'];
    await writeStream(place, sharedTopic, id, {
      prefix: 'own',
      number: 10 + i,
      parents: withHidden ? [hiddenId, ...parents] : parents,
    });
  }
  const kept = [{ id: 'Doubled', expression: 'Speed * 2' }];
  assert.equal((await place.ask('PUT', `/topics/${sharedTopic}/calculated`, kept, place.admin)).status, 200);
  if (!withHidden) return;
  const hiddenKept = [{ id: 'hiddenKept', expression: 'hiddenParameter * 2' }];
  for (const topic of [sharedTopic, hiddenTopic]) {
    const put = await place.ask('PUT', `/topics/${topic}/calculated`, hiddenKept, place.admin);
    assert.equal(put.status, 200, put.text);
  }
  await writeStream(place, sharedTopic, 'hidden-other', { ...hidden, number: secretNumber + 5 });
  await writeStream(place, hiddenTopic, 'lap-1', hidden);
  const other = { name: 'hidden view', topic: hiddenTopic, state: 'hidden' };
  assert.equal((await place.ask('PUT', '/views/hidden-view', other, place.admin)).status, 200);
}

/** Makes the view `shared` and gives a share of it. */
export async function share(
  { ask }: Place,
  token: string,
  view = 'shared',
  expires?: string,
): Promise<{ token: string; id: string; url: string }> {
  const body = { name: 'Laps', topic: sharedTopic, streamIds: sharedIds, state: { plots: [1] } };
  assert.equal((await ask('PUT', `/views/${view}`, body, token)).status, 200);
  const made = await ask('POST', `/views/${view}/share`, expires === undefined ? {} : { expires }, token);
  assert.equal(made.status, 200, made.text);
  return JSON.parse(made.text) as { token: string; id: string; url: string };
}

/** Fails where a text tells of anything that is not shared. */
export function tellsNothing(text: string, what: string): void {
  assert.doesNotMatch(text, new RegExp(`${secret}|${secretNumber}`, 'i'), what);
}
