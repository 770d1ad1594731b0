import { contentOf, endOf, has } from './answers.ts';
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

/** A view that was read has more than what is written. */
function writtenOf({ name, topic, streamIds, state }: ViewContent): ViewContent {
  return { name, ...(topic !== undefined && { topic }), ...(streamIds && { streamIds }), state };
}

export function viewCalls(transport: Transport): ViewCalls {
  const addressOf = (id: string) => `/views/${encodeURIComponent(id)}`;
  const matching = ({ ifMatch, ...options }: ViewOptions): RequestOptions =>
    ifMatch === undefined ? options : { ...options, headers: { ...options.headers, 'if-match': ifMatch } };
  const read = async <Answer>(path: string, options?: RequestOptions): Promise<Answer> =>
    contentOf(await transport.send('GET', path, undefined, options), Array.isArray);
  const tagged = async (response: Response): Promise<TaggedView> => ({
    ...(await contentOf<View>(response, has('id', 'name'))),
    etag: response.headers.get('etag') ?? '',
  });

  return {
    views: ({ topic } = {}, options) =>
      read(topic === undefined ? '/views' : `/views?topic=${encodeURIComponent(topic)}`, options),
    view: async (id, options) => tagged(await transport.send('GET', addressOf(id), undefined, options)),
    putView: async (id, view, options = {}) =>
      tagged(await transport.send('PUT', addressOf(id), writtenOf(view), matching(options))),
    async deleteView(id, options = {}) {
      await endOf(await transport.send('DELETE', addressOf(id), undefined, matching(options)));
    },
    async share(view, { expires } = {}, options) {
      const body = expires === undefined ? {} : { expires: new Date(expires).toISOString() };
      const response = await transport.send('POST', `${addressOf(view)}/share`, body, options);
      const share = await contentOf<NewShare>(response, has('id', 'token', 'url'));
      return { ...share, url: new URL(share.url, `${transport.url}/`).href };
    },
    shares: (view, options) => read(`${addressOf(view)}/shares`, options),
    async revokeShares(view, id, options) {
      const path = `${addressOf(view)}/shares`;
      if (id === undefined) {
        const response = await transport.send('DELETE', path, undefined, options);
        return (await contentOf<{ revoked: number }>(response, has('revoked'))).revoked;
      }
      await endOf(await transport.send('DELETE', `${path}/${encodeURIComponent(id)}`, undefined, options));
      return 1;
    },
  };
}
