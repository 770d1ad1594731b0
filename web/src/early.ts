// Stands in the page itself, before its files: what the page asks for at first is on its way while they are loaded.
import { newestFilter } from './runs/newest-filter.ts';
import { byTopic } from './state/by-topic.ts';
import { askEarly, tokenStoredAs } from './state/early-answers.ts';
import { streamsIn } from './state/refs.ts';
import { ofBrowser, ofTab } from './state/stored.ts';

const token = ofTab.get(tokenStoredAs) ?? '';
const fields = new URLSearchParams(location.hash.slice(1));
const open = streamsIn(fields);
const ask = (path: string, query: unknown) =>
  askEarly(new URL(`.${path}?int64=string`, location.href).href, token, query);

// The token of a shared link is taken from the address first, and a saved view has its own runs.
if (token !== '' && !fields.has('token')) {
  if (open.length > 0) {
    ask('/streams', { streamIds: open.map(({ streamId }) => streamId) });
    for (const place of byTopic(open)) ask('/parameters', place);
  } else if (!fields.has('view')) ask('/streams', newestFilter(fields.get('topic') ?? ''));
}

// The first look at what the browser keeps waits for another of its processes: until the files are there, nothing else waits.
ofBrowser.names();
