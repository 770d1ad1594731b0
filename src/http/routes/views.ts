import { notShared } from '../../auth/admit.ts';
import type { Document } from '../../domain/document.ts';
import type { Principal } from '../../domain/principal.ts';
import { readsTopic } from '../../domain/shared-streams.ts';
import { isoFromMillis } from '../../domain/timestamp.ts';
import { foldTopic } from '../../domain/topic.ts';
import { type View, viewOf } from '../../domain/view.ts';
import { etagOf, namesWeakly } from '../../views/etag.ts';
import type { Views } from '../../views/views.ts';
import { fault } from '../../wire/base/fault.ts';
import { checkName } from '../../wire/base/name.ts';
import { settingsLimits } from '../../wire/json/json-memory.ts';
import { decodeViewRequest } from '../../wire/requests/view-request.ts';
import { type Answer, done, type Route } from '../route.ts';
import { view, viewList, viewRequest, viewsQuery } from '../schemas/views.ts';

const jsonType = 'application/json; charset=utf-8';
const answerHeaders = { ETag: 'Changes with the view' };
const requestHeaders = {
  'If-Match': 'The `ETag` that the view must have, or `*` for any; else 412',
  'If-None-Match': '`*`: the view must not be there; else 412',
};

export function listViews(views: Views): Route {
  return {
    method: 'GET',
    path: '/views',
    interface: 'query',
    scope: 'read',
    summary: 'List views, in order of id',
    query: viewsQuery,
    response: viewList,
    async handle({ principal, query }) {
      const { topic } = query;
      if (Array.isArray(topic)) throw fault('invalid_value', 'topic', 'stands twice in the address');
      const wanted = typeof topic === 'string' ? foldTopic(topic) : undefined;
      return { type: jsonType, chunks: encodeViews(await views.list(principal.workspace), wanted) };
    },
  };
}

export function getView(views: Views): Route {
  return {
    method: 'GET',
    path: '/views/:view',
    interface: 'query',
    scope: 'read',
    openToShares: true,
    mayBeMissing: true,
    summary: 'Read a view',
    response: view,
    answerHeaders,
    requestHeaders: { 'If-None-Match': 'An `ETag`, or `*`: where the view has it still, the answer is 304' },
    async handle({ principal, params, ifNoneMatch }) {
      const id = params['view']!;
      if (principal.share !== undefined && principal.share.view !== id) throw notShared();
      const item = await views.get(principal.workspace, id);
      const headers = { ETag: etagOf(item) };
      if (ifNoneMatch !== undefined && namesWeakly(ifNoneMatch, item)) return { status: 304, headers };
      return { type: jsonType, headers, body: textOf(shown(item, principal)) };
    },
  };
}

export function putView(views: Views): Route {
  return {
    method: 'PUT',
    path: '/views/:view',
    interface: 'query',
    scope: 'write',
    summary: 'Make or replace a view',
    body: { schema: viewRequest, optional: false, limits: settingsLimits },
    response: view,
    answerHeaders,
    requestHeaders,
    async handle({ principal, params, body, reservation, ifMatch, ifNoneMatch }): Promise<Answer> {
      const id = checkName(params['view']!, 'view');
      const request = decodeViewRequest(body, id, reservation);
      const item = await views.put(principal.workspace, id, request, { ifMatch, ifNoneMatch });
      return { type: jsonType, headers: { ETag: etagOf(item) }, body: textOf(viewOf(item)) };
    },
  };
}

export function deleteView(views: Views): Route {
  return {
    method: 'DELETE',
    path: '/views/:view',
    interface: 'query',
    scope: 'write',
    mayBeMissing: true,
    summary: 'Remove a view, and with it its shares',
    requestHeaders: { 'If-Match': requestHeaders['If-Match'] },
    async handle({ principal, params, ifMatch }) {
      await views.remove(principal.workspace, params['view']!, { ifMatch, ifNoneMatch: undefined });
      return done;
    },
  };
}

/** A view as its reader may know it: for a share, of its streams those that were shared. */
function shown(item: Document, { share }: Principal): View {
  const own = viewOf(item);
  if (share === undefined) return own;
  const isSame = own.topic !== undefined && readsTopic(share, own.topic);
  const streamIds = isSame ? (own.streamIds ?? []).filter((id) => share.streamIds.has(id)) : [];
  return { ...own, topic: share.topic, streamIds: streamIds.length > 0 ? streamIds : [...share.streamIds] };
}

/** @param topic folded; undefined for views of all topics and of none */
function* encodeViews(items: readonly Document[], topic: string | undefined): Generator<Uint8Array> {
  let separator = '[';
  for (const item of items) {
    const own = viewOf(item);
    if (topic !== undefined && (own.topic === undefined || foldTopic(own.topic) !== topic)) {
      // A place to pause.
      yield nothing;
      continue;
    }
    yield Buffer.from(separator + textOf(own));
    separator = ',';
  }
  yield Buffer.from(separator === '[' ? '[]' : ']');
}

const nothing = Buffer.alloc(0);

/** The state stands in it as it was written, with all digits of its numbers. */
function textOf({ id, name, topic, streamIds, state, createdAt, updatedAt }: View): string {
  const facts = JSON.stringify({ id, name, topic, streamIds });
  const times = JSON.stringify({ createdAt: isoFromMillis(createdAt), updatedAt: isoFromMillis(updatedAt) });
  return `${facts.slice(0, -1)},"state":${state},${times.slice(1)}`;
}
