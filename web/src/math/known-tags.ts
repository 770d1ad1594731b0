import { edited } from '../channels/edited.ts';
import { client } from '../session.ts';
import { streams } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';

/** Names of the tags of the open runs, while an expression is written. */
export const knownTags = loaded<readonly string[]>(() => {
  const service = client.value;
  const open = streams.value;
  if (service === undefined || open.length === 0 || edited.value === undefined) return undefined;
  const streamIds = open.map(({ streamId }) => streamId);
  return async (signal) => (await service.tagNames({ streamIds }, { signal })).map(({ name }) => name);
});
