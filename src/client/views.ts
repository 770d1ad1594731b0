import { contentOf, has } from './answers.ts';
import { isOfRepeat } from './done-before.ts';
import { encodeJson } from './encode-json.ts';
import { jsonRequests } from './json-requests.ts';
import { pathStep } from './paths.ts';
import { RequestError } from './request-error.ts';
import type { RequestOptions, Transport } from './transport.ts';

/** A view as it is written; `state` is any JSON, 64 KiB at most, and `topic` and `streamIds` are what can be shared. */
export interface ViewContent {
  readonly name: string;
  readonly topic?: string;
  readonly streamIds?: readonly string[];
  readonly state?: unknown;
}

export interface View extends ViewContent {
  readonly id: string;
  readonly state: unknown;
  /** ISO 8601, as is `updatedAt`. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A view, and what names this state of it. */
export interface TaggedView extends View {
  readonly etag: string;
}

/** A share, without its token. */
export interface Share {
  readonly id: string;
  readonly topic: string;
  readonly streamIds: readonly string[];
  /** Id of the token that made it. */
  readonly makerId: string;
  /** ISO 8601, as is `expires`. */
  readonly createdAt: string;
  readonly expires: string;
}

export interface NewShare extends Share {
  /** Reads the view and its streams; shown this once. */
  readonly token: string;
  /** A link to the explorer. */
  readonly url: string;
}

export interface ViewOptions extends RequestOptions {
  /** The `etag` that the view must have, or `*` for any: else it is `precondition_failed` (412), and nothing changes. */
  readonly ifMatch?: string;
}

/** Views, which are kept for all of a workspace, and their shares. */
export interface ViewCalls {
  /** Returns views in order of id. */
  views(filter?: { readonly topic?: string }, options?: RequestOptions): Promise<View[]>;
  view(id: string, options?: RequestOptions): Promise<TaggedView>;
  /** Makes or replaces a view. */
  putView(id: string, view: ViewContent, options?: ViewOptions): Promise<TaggedView>;
  /** Removes a view with its shares. */
  deleteView(id: string, options?: ViewOptions): Promise<void>;
  /**
   * Makes a token that reads the view and the streams that it names now, and nothing else, for 30 days at most. A repeat
   * after a lost answer makes another one.
   */
  share(
    view: string,
    terms?: { readonly expires?: Date | string },
    options?: RequestOptions,
  ): Promise<NewShare>;
  /** Returns the shares of a view that have not ended. */
  shares(view: string, options?: RequestOptions): Promise<Share[]>;
  /** Revokes one, or without an id all that this token may revoke; resolves with their number. */
  revokeShares(view: string, id?: string, options?: RequestOptions): Promise<number>;
}

/** A view that was read has more than what is written. What no view has is the service's to refuse. */
function writtenOf(view: ViewContent): ViewContent {
  const {
    id: _id,
    createdAt: _createdAt,
    updatedAt: _updatedAt,
    etag: _etag,
    ...written
  } = view as TaggedView;
  return written;
}

/** What is kept of a view, as text; of equal ones it is the same. */
function textOf({ name, topic, streamIds = [], state = null }: ViewContent): string {
  return encodeJson([name, topic ?? null, [...new Set(streamIds)], JSON.parse(encodeJson(state))]);
}

export function viewCalls(transport: Transport): ViewCalls {
  const addressOf = (id: string) => `/views/${pathStep('id', id)}`;
  const matching = ({ ifMatch, ...options }: ViewOptions): RequestOptions =>
    ifMatch === undefined ? options : { ...options, headers: { ...options.headers, 'if-match': ifMatch } };
  const read = async <Answer>(path: string, options?: RequestOptions): Promise<Answer> =>
    contentOf(await transport.send('GET', path, undefined, options), Array.isArray);
  const { remove } = jsonRequests(transport);
  const tagged = async (response: Response): Promise<TaggedView> => ({
    ...(await contentOf<View>(response, has('id', 'name'))),
    etag: response.headers.get('etag') ?? '',
  });
  const view = async (id: string, options?: RequestOptions): Promise<TaggedView> =>
    tagged(await transport.send('GET', addressOf(id), undefined, options));
  const viewIfThere = (id: string, { signal }: RequestOptions): Promise<TaggedView | undefined> =>
    view(id, signal && { signal }).catch((error: unknown) => {
      if (error instanceof RequestError && error.code === 'view_not_found') return undefined;
      throw error;
    });

  return {
    views: async ({ topic } = {}, options) =>
      read(topic === undefined ? '/views' : `/views?topic=${pathStep('topic', topic)}`, options),
    view,
    async putView(id, content, options = {}) {
      const written = writtenOf(content);
      try {
        return await tagged(await transport.send('PUT', addressOf(id), written, matching(options)));
      } catch (error) {
        // Where an earlier attempt was carried out, and its answer was lost, it is that which has changed the view.
        const there = isOfRepeat(error, 412) ? await viewIfThere(id, options) : undefined;
        if (there === undefined || textOf(there) !== textOf(written)) throw error;
        return there;
      }
    },
    async deleteView(id, options = {}) {
      try {
        await remove(addressOf(id), matching(options));
      } catch (error) {
        if (!isOfRepeat(error, 412) || (await viewIfThere(id, options)) !== undefined) throw error;
      }
    },
    async share(view, { expires } = {}, options) {
      const body = expires === undefined ? {} : { expires: new Date(expires).toISOString() };
      const response = await transport.send('POST', `${addressOf(view)}/share`, body, options);
      const share = await contentOf<NewShare>(response, has('id', 'token', 'url'));
      return { ...share, url: new URL(share.url, `${transport.url}/`).href };
    },
    shares: async (view, options) => read(`${addressOf(view)}/shares`, options),
    async revokeShares(view, id, options) {
      const path = `${addressOf(view)}/shares`;
      if (id === undefined) {
        const response = await transport.send('DELETE', path, undefined, options);
        return (await contentOf<{ revoked: number }>(response, has('revoked'))).revoked;
      }
      await remove(`${path}/${pathStep('id', id)}`, options);
      return 1;
    },
  };
}
