import { namedByStateId } from '../../alerts/stored-state.ts';
import { topicPath } from '../../client/paths.ts';
import { shareFacts } from '../../domain/share.ts';
import { foldTopic } from '../../domain/topic.ts';
import type { CopiedThing, CopyNotes } from './notes.ts';
import { type CopyService, ownTokenName } from './service.ts';

/** What a workspace keeps besides streams and rows, as `GET /admin/workspaces/{name}/contents` answers it. */
export interface Contents {
  readonly tokens: readonly TokenContent[];
  readonly topics: readonly TopicContent[];
  readonly documents: readonly DocumentContent[];
}

interface TokenContent {
  readonly id: string;
  readonly name?: string;
}

interface TopicContent {
  readonly name: string;
}

interface DocumentContent {
  readonly kind: string;
  readonly topic?: string;
  readonly id: string;
  readonly body: string;
}

export interface ListedWorkspace {
  readonly name: string;
  readonly retention?: string;
  readonly maxStreams?: number;
  readonly maxBytes?: number;
}

/** Characters of a request: well below what the service takes of one. */
const togetherCharacters = 1_000_000;

export function readContents(service: CopyService, workspace: string): Promise<Contents> {
  return service.change<Contents>('GET', contentsPath(workspace), undefined, 'tokens', 'topics', 'documents');
}

/** Makes the workspace without its limits, which count when all is there: rows may take more room on their way. */
export function openWorkspace(target: CopyService, { name, retention }: ListedWorkspace): Promise<void> {
  return putWorkspace(target, { name, ...(retention !== undefined && { retention }) });
}

export async function putWorkspace(
  target: CopyService,
  { name, retention, maxStreams, maxBytes }: ListedWorkspace,
): Promise<void> {
  const settings = { retention, maxStreams, maxBytes };
  await target.change('PUT', `/admin/workspaces/${encodeURIComponent(name)}`, settings, 'name');
}

const ofAlerts = ['alert', 'alertState'];

/**
 * Puts tokens, topics, and all documents but alert rules; takes away what an earlier run has copied and the source has no more.
 * Rules of the target that the source has as well are taken away: they come back with their states when all rows are there,
 * which they would judge on their way.
 */
export async function putContents(
  target: CopyService,
  notes: CopyNotes,
  workspace: string,
  contents: Contents,
): Promise<void> {
  const things = thingsOf(workspace, contents);
  const there = new Set(things.map((thing) => JSON.stringify(thing)));
  for (const thing of notes.thingsOf(workspace)) {
    if (there.has(JSON.stringify(thing))) continue;
    await removeThing(target, thing);
    notes.thingIsGone(thing);
  }
  const ofTarget = await readContents(target, workspace);
  const rules = new Set(contents.documents.filter(({ kind }) => kind === 'alert').map(ruleKey));
  for (const rule of ofTarget.documents.filter(({ kind }) => kind === 'alert'))
    if (rules.has(ruleKey(rule)))
      await removeThing(target, { workspace, kind: 'alert', of: rule.topic!, id: rule.id });
  await put(target, workspace, 'topics', contents.topics);
  await put(
    target,
    workspace,
    'tokens',
    contents.tokens.filter(({ name }) => name !== ownTokenName),
  );
  await put(
    target,
    workspace,
    'documents',
    contents.documents.filter(({ kind }) => !ofAlerts.includes(kind)),
  );
  for (const thing of things) if (thing.kind !== 'alert') notes.thingIsCopied(thing);
}

/** Puts alert rules, with what they know of each stream. */
export async function putRules(
  target: CopyService,
  notes: CopyNotes,
  workspace: string,
  { documents }: Contents,
): Promise<number> {
  const rules = documents.filter(({ kind }) => kind === 'alert');
  const names = new Set(rules.map(ruleKey));
  const states = documents.filter(
    ({ kind, topic = '', id }) =>
      kind === 'alertState' && names.has(ruleKey({ topic, id: namedByStateId(id).rule })),
  );
  await put(target, workspace, 'documents', [...rules, ...states]);
  for (const { kind, topic = '', id } of rules) notes.thingIsCopied({ workspace, kind, of: topic, id });
  return rules.length;
}

function ruleKey({ topic = '', id }: Pick<DocumentContent, 'topic' | 'id'>): string {
  return JSON.stringify([foldTopic(topic), id]);
}

function thingsOf(workspace: string, { tokens, documents }: Contents): CopiedThing[] {
  const own = tokens.filter(({ name }) => name !== ownTokenName);
  return [
    ...own.map(({ id }) => ({ workspace, kind: 'token', id })),
    ...documents
      .filter(({ kind }) => kind in removals)
      .map((document) => ({ workspace, kind: document.kind, ...placeOf(document) })),
  ];
}

/** What names it in an address. */
function placeOf(document: DocumentContent): Pick<CopiedThing, 'of' | 'id'> {
  const { kind, topic, id, body } = document;
  if (kind === 'share') {
    const { view, id: share } = shareFacts({ kind, topic, id, body, updatedAt: 0 });
    return { of: view, id: share };
  }
  return topic === undefined ? { id } : { of: topic, id };
}

/** Where what was copied is taken away again. */
const removals: Readonly<Record<string, (thing: CopiedThing) => string>> = {
  token: ({ id }) => `/admin/tokens/${encodeURIComponent(id)}`,
  view: ({ id }) => `/views/${encodeURIComponent(id)}`,
  share: ({ of = '', id }) => `/views/${encodeURIComponent(of)}/shares/${encodeURIComponent(id)}`,
  calculated: ({ of = '', id }) => `${topicPath(of)}/calculated/${encodeURIComponent(id)}`,
  alert: ({ of = '', id }) => `${topicPath(of)}/alerts/${encodeURIComponent(id)}`,
};

function removeThing(target: CopyService, thing: CopiedThing): Promise<void> {
  return target.remove(target.of(thing.workspace), removals[thing.kind]!(thing));
}

async function put(
  target: CopyService,
  workspace: string,
  field: keyof Contents,
  items: readonly object[],
): Promise<void> {
  let some: object[] = [];
  let characters = 0;
  const send = async (): Promise<void> => {
    if (some.length > 0) await target.write('PUT', contentsPath(workspace), { [field]: some });
    some = [];
    characters = 0;
  };
  for (const item of items) {
    const length = JSON.stringify(item).length;
    if (characters + length > togetherCharacters) await send();
    some.push(item);
    characters += length;
  }
  await send();
}

function contentsPath(workspace: string): string {
  return `/admin/workspaces/${encodeURIComponent(workspace)}/contents`;
}
