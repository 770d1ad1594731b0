import { signal } from '@preact/signals';
import {
  type Client,
  RequestError,
  type View as SavedView,
  type TaggedView,
  type ViewContent,
} from '../../../src/client/client.ts';
import { client } from '../session.ts';
import { saved, show, view } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { showSaved } from './open-saved.ts';
import { isListed, isSharing } from './opened.ts';
import { contentOf } from './saved-content.ts';

/** Grows when the list should be read again. */
const changes = signal(0);

/** All views of the workspace, by name. */
export const savedViews = loaded<SavedView[]>(() => {
  const service = client.value;
  changes.value;
  if (service === undefined || !(isListed.value || isSharing.value)) return undefined;
  return async (signal) =>
    (await service.views({}, { signal })).sort((a, b) =>
      a.name.localeCompare(b.name, 'en', { numeric: true }),
    );
});

/** Somebody else has changed or removed a view since it was read here; nothing was written. */
export class ViewChanged extends Error {
  /** What it is now; undefined where it is gone. */
  readonly now: TaggedView | undefined;

  constructor(now: TaggedView | undefined) {
    super(
      now === undefined
        ? 'Somebody else has removed this view.'
        : `Somebody else has changed the view “${now.name}” meanwhile. Nothing was written.`,
    );
    this.now = now;
  }
}

/** Saves what is seen as a new view. */
export async function saveNew(name: string): Promise<void> {
  const made = await service().putView(newId(name), contentOf(view.peek(), name));
  changes.value++;
  cameFrom(made);
}

/** Saves what is seen as the view that is open. Throws ViewChanged. */
export async function saveChanges(): Promise<void> {
  const { id, tag } = saved.peek();
  const now = await unchanged(id, (found) => found.etag === tag);
  cameFrom(await put(now, contentOf(view.peek(), now.name)));
}

/** Saves what is seen over what somebody else has saved; `now` is what they were told it is. Throws ViewChanged. */
export async function saveOver(now: TaggedView): Promise<void> {
  cameFrom(await put(now, contentOf(view.peek(), now.name)));
}

export async function openView(id: string): Promise<void> {
  showSaved(await service().view(id));
}

/** Throws ViewChanged where it is not as it was listed. */
export async function renameView(listed: SavedView, name: string): Promise<void> {
  const now = await unchanged(listed.id, (found) => found.updatedAt === listed.updatedAt);
  const { topic, streamIds, state } = now;
  const content = { name, ...(topic !== undefined && { topic }), ...(streamIds && { streamIds }), state };
  const renamed = await put(now, content);
  // What is open stays what it was before, if it was that.
  if (saved.peek().id === listed.id && saved.peek().tag === now.etag)
    show({ savedTag: renamed.etag }, 'settle');
}

/** Throws ViewChanged where it is not as it was listed. */
export async function removeView(listed: SavedView): Promise<void> {
  const { etag } = await unchanged(listed.id, (found) => found.updatedAt === listed.updatedAt);
  await changing(listed.id, service().deleteView(listed.id, { ifMatch: etag }));
  if (saved.peek().id === listed.id) show({ savedId: '', savedTag: '' }, 'settle');
}

function service(): Client {
  return client.peek()!;
}

function cameFrom({ id, etag }: TaggedView): void {
  show({ savedId: id, savedTag: etag }, 'settle');
}

async function unchanged(id: string, isSame: (found: TaggedView) => boolean): Promise<TaggedView> {
  const now = await ifThere(id);
  if (now === undefined || !isSame(now)) {
    changes.value++;
    throw new ViewChanged(now);
  }
  return now;
}

function put({ id, etag }: TaggedView, content: ViewContent): Promise<TaggedView> {
  return changing(id, service().putView(id, content, { ifMatch: etag }));
}

/** A change of a view. Throws ViewChanged where the service finds another one. */
async function changing<Answer>(id: string, change: Promise<Answer>): Promise<Answer> {
  try {
    return await change;
  } catch (error) {
    const isOther = error instanceof RequestError && error.status === 412;
    throw isOther ? new ViewChanged(await ifThere(id)) : error;
  } finally {
    changes.value++;
  }
}

async function ifThere(id: string): Promise<TaggedView | undefined> {
  try {
    return await service().view(id);
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return undefined;
    throw error;
  }
}

/** Words of the name, to be known in a list, and some chance, so that it is no other view's. */
function newId(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const chance = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => (byte % 36).toString(36));
  return [...words, chance.join('')].join('-').slice(-60).replace(/^-/, '');
}
