import type { View as SavedView, ViewContent } from '../../../src/client/client.ts';
import { emptyView, formatView, parseView, type StreamRef, type View } from '../state/view-text.ts';

/** What the page keeps as the state of a view: the address that it had, without what one searches for. */
interface SavedState {
  readonly explorer: string;
}

/** What is seen, to be saved. Runs of one topic can be shared: they are named. */
export function contentOf(shown: View, name: string): ViewContent {
  const state: SavedState = {
    explorer: formatView({ ...shown, search: '', topic: '', savedId: '', savedTag: '' }),
  };
  const [topic, ...others] = new Set(shown.streams.map((stream) => stream.topic.toLowerCase()));
  if (topic === undefined || others.length > 0) return { name, state };
  return {
    name,
    topic: shown.streams[0]!.topic,
    streamIds: shown.streams.map(({ streamId }) => streamId),
    state,
  };
}

/**
 * The part of the page's view that a saved one decides. One that something else has written opens its runs. Of a shared
 * one only the runs that were shared are opened: it may have got others since.
 */
export function partsOf(saved: SavedView, isShared: boolean): Omit<View, 'search' | 'topic'> {
  const { search: _, topic: __, ...parts } = isOwn(saved) ? parseView(saved.state.explorer) : emptyView;
  const { topic = '', streamIds = [] } = saved;
  const named = streamIds.map((streamId): StreamRef => ({ topic, streamId }));
  const open = parts.streams.filter(
    (stream) =>
      !isShared ||
      (stream.topic.toLowerCase() === topic.toLowerCase() && streamIds.includes(stream.streamId)),
  );
  return { ...parts, streams: open.length > 0 ? open : named };
}

/** Whether the page wrote it: others may hold numbers that it would change. */
export function isOwn(saved: SavedView): saved is SavedView & { readonly state: SavedState } {
  const { state } = saved;
  return (
    typeof state === 'object' && state !== null && 'explorer' in state && typeof state.explorer === 'string'
  );
}
