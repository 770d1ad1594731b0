import { edited } from '../channels/edited.ts';
import { loadTags } from '../runs/known-tags.ts';
import { client } from '../session.ts';
import { streams } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';

/** Names of the tags of the open runs, while an expression is written. */
export const knownTags = loaded<readonly string[]>(() => {
  const service = client.value;
  const open = streams.value;
  if (service === undefined || open.length === 0 || edited.value === undefined) return undefined;
  return async (signal) => (await loadTags(service, open, signal)).map(({ name }) => name);
});
