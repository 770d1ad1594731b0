import { effect, signal } from '@preact/signals';
import type { Client, Live } from '../../../src/client/client.ts';
import type { TraceLoad } from '../look/traces.ts';
import { client } from '../session.ts';
import { isLive, plots, show, streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { type Rolling, rolling, windowOf } from './rolling.ts';

/** What the plots show while they follow live data; undefined while they do not. */
export const followed = signal<TraceLoad | undefined>(undefined);
/** Whether the connection stands; undefined while nothing is followed. */
export const connected = signal<boolean | undefined>(undefined);

const second = 1_000_000_000n;
/** How much of the past is seen, unless the view says otherwise. */
export const followedSpan = signal(60n * second);
/** Frames are drawn when there is something new, so many times a second at most. */
const frameMs = 50;
/** The most rows that are read to begin with, and after a reconnect. */
const pastRows = 20_000;

effect(() => {
  const service = client.value;
  const open = streams.value;
  const parameters = [...new Set(plots.value.flat())];
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

  const draw = setInterval(() => {
    if (!isNew) return;
    isNew = false;
    followed.value = windowOf(rows, followedSpan.peek());
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
  for (const stream of streams) {
    receive(live, stream, (data) => {
      rows.add(stream, data);
      isNew = true;
    });
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
  onData: (data: Parameters<Rolling['add']>[1]) => void,
): Promise<void> {
  try {
    for await (const data of live.parameterData({ topic, streamId })) onData(data);
  } catch {
    // The hub refused, or the page was too slow: what is seen stays, and following ends.
    show({ live: false }, 'replace');
  }
}

async function readPast(
  service: Client,
  stream: StreamRef,
  parameters: readonly string[],
  rows: Rolling,
  signal: AbortSignal,
): Promise<void> {
  const [info] = await service.streams({ topic: stream.topic, streamIds: [stream.streamId] }, { signal });
  if (info?.dataEnd === undefined) return;
  const { data } = await service.page(
    {
      topic: stream.topic,
      streamIds: [stream.streamId],
      numericParameters: parameters.map((parameterName) => ({ parameterName })),
      from: info.dataEnd - followedSpan.peek(),
      order: 'Desc',
      limit: pastRows,
    },
    { signal },
  );
  rows.add(stream, inOrder(data));
}

/** Rows last first, turned round. */
function inOrder<Data extends Parameters<Rolling['add']>[1]>(data: Data): Data {
  const numericValues = Object.entries(data.numericValues).map(([name, column]) => [
    name,
    column.toReversed(),
  ]);
  return {
    ...data,
    timestamps: data.timestamps.toReversed(),
    numericValues: Object.fromEntries(numericValues),
  };
}
