import { effect, signal } from '@preact/signals';
import type { Client, Live } from '../../../src/client/client.ts';
import { drawnWidth } from '../look/axes.ts';
import type { TraceLoad } from '../look/traces.ts';
import { client } from '../session.ts';
import { isLive, plots, show, streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { type Rolling, rolling } from './rolling.ts';

/** What the plots show while they follow live data; undefined while they do not. */
export const followed = signal<TraceLoad | undefined>(undefined);
/** Whether the connection stands; undefined while nothing is followed. */
export const connected = signal<boolean | undefined>(undefined);

const second = 1_000_000_000n;
/** Why following ended by itself; empty while it did not. */
export const followProblem = signal('');

/** How much of the past is seen, unless the view says otherwise. */
export const followedSpan = signal(60n * second);
/** Frames are drawn when there is something new, so many times a second at most. */
const frameMs = 50;
/** The most rows of a stream that are read to begin with. */
const pastRows = 50_000;
/** What was missed is read in pages of so many rows. */
const pageRows = 20_000;

effect(() => {
  const service = client.value;
  const open = streams.value;
  const parameters = [...new Set(plots.value.flat())];
  // More of the past is read anew.
  followedSpan.value;
  if (!isLive.value || service === undefined || open.length === 0 || parameters.length === 0)
    return undefined;
  return follow(service, open, parameters);
});

/** Follows streams until the function that it gives back is called. */
function follow(service: Client, streams: readonly StreamRef[], parameters: readonly string[]): () => void {
  const rows = rolling(streams, parameters);
  const ending = new AbortController();
  const live = service.live();
  let isNew = false;
  connected.value = false;
  followProblem.value = '';

  const draw = setInterval(() => {
    if (!isNew || document.visibilityState === 'hidden') return;
    isNew = false;
    followed.value = rows.window(followedSpan.peek(), drawnWidth.peek());
  }, frameMs);

  live.onConnection((now) => {
    connected.value = now;
    // What was written while there was no connection is read; rows that come twice replace each other.
    if (now) {
      for (const stream of streams) {
        readPast(service, stream, parameters, rows, ending.signal).then(
          () => {
            isNew = true;
          },
          () => undefined,
        );
      }
    }
  });
  // The hub sends of each package what is plotted, and nothing else.
  for (const stream of streams) {
    for (const id of parameters) {
      receive(live, stream, id, (data) => {
        rows.add(stream, data);
        isNew = true;
      });
    }
  }

  return () => {
    ending.abort(new Error('the page follows something else'));
    clearInterval(draw);
    live.close();
    followed.value = undefined;
    connected.value = undefined;
  };
}

async function receive(
  live: Live,
  { topic, streamId }: StreamRef,
  id: string,
  onData: (data: Parameters<Rolling['add']>[1]) => void,
): Promise<void> {
  try {
    for await (const data of live.parameterData({ topic, streamId, id })) onData(data);
  } catch (error) {
    // The hub refused, or the page was too slow: what is seen stays, and following ends.
    show({ live: false }, 'replace');
    followProblem.value = `Following ended: ${(error as Error).message}`;
  }
}

/** Reads what is not there yet: the last while to begin with, afterwards all since the newest row. */
async function readPast(
  service: Client,
  stream: StreamRef,
  parameters: readonly string[],
  rows: Rolling,
  signal: AbortSignal,
): Promise<void> {
  const newest = rows.newestOf(stream);
  const { topic, streamId } = stream;
  const [info] = await service.streams({ topic, streamIds: [streamId] }, { signal });
  if (info?.dataEnd === undefined) return;
  const begin = info.dataEnd - followedSpan.peek();
  const query = {
    topic,
    streamIds: [streamId],
    numericParameters: parameters.map((parameterName) => ({ parameterName })),
  };
  if (newest === undefined) {
    const options = { from: begin, order: 'Desc' as const, limit: pastRows };
    const { data } = await service.page({ ...query, ...options }, { signal });
    rows.add(stream, data);
    return;
  }
  const missed = service.pages({ ...query, from: newest > begin ? newest : begin }, pageRows, { signal });
  for await (const data of missed) rows.add(stream, data);
}
