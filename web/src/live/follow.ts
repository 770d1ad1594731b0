import { batch, effect, signal } from '@preact/signals';
import type { Client, LiveParameterData } from '../../../src/client/client.ts';
import { seenMapChannels } from '../channels/known-channels.ts';
import { openParameters } from '../channels/parameters.ts';
import { plotted } from '../channels/plotted.ts';
import { conversions, conversionsOf, converted } from '../lines/conversions.ts';
import { followed } from '../lines/followed.ts';
import { reader } from '../lines/reader.ts';
import type { Trace, TraceNames } from '../lines/traces.ts';
import { drawnWidth } from '../plots/axes.ts';
import { noteLoad } from '../plots/note-load.ts';
import { missingStreams } from '../runs/open-streams.ts';
import { stable } from '../state/stable.ts';
import { isLive, show, streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { problemText } from '../ui/problem-text.ts';
import { catchingUp } from './catch-up.ts';
import { createLiveEnd } from './live-end.ts';
import { beat, beatRange, news, tagChange, tagWatch } from './news.ts';
import { readPast } from './read-past.ts';
import { type Followed, followedOf, recalculate } from './recalculate.ts';
import { receiveNotes } from './receive-notes.ts';
import { receiveRows } from './receive-rows.ts';
import { rolling } from './rolling.ts';

/** Whether the connection stands; undefined while nothing is followed. */
export const connected = signal<boolean | undefined>(undefined);

const second = 1_000_000_000n;
/** Why following ended by itself, or what is wrong with it; empty where nothing is. */
export const followProblem = signal('');

/** How much of the past is seen, unless the view says otherwise. */
export const followedSpan = signal(60n * second);
/** Frames are drawn when there is something new, so many times a second at most. */
const frameMs = 50;
/** What is read again while live data comes is read so often at most. */
const beatMs = 1000;

/** What is plotted, and what the map is drawn of. */
const followedNames = stable<TraceNames | undefined>(() => {
  const names = plotted.value;
  return (
    names && {
      numbers: [...new Set([...names.numbers, ...seenMapChannels.value])],
      texts: names.texts,
    }
  );
});
/** How each of them is followed. */
const followedKinds = stable(() =>
  followedOf(followedNames.value?.numbers ?? [], openParameters.value.value ?? []),
);

effect(() => {
  const service = reader.value;
  const open = streams.value;
  const names = followedNames.value;
  // More of the past is read anew, and that of a run that comes back from the bin.
  followedSpan.value;
  missingStreams.value;
  if (!isLive.value || service === undefined || open.length === 0 || names === undefined) return undefined;
  if (names.numbers.length + names.texts.length === 0) return undefined;
  const end = follow(service, open, names, followedKinds.value);
  return () => {
    end();
    // Where other channels of the same runs are followed from now on, what is seen stays until they come.
    if (isLive.peek() && streams.peek() === open) return;
    followed.value = undefined;
    news.value = undefined;
    beatRange.value = undefined;
  };
});

/** A long pause is forgotten in some packages: it may have been an interruption. */
const pauseFading = 0.8;

/** Follows streams until the function that it gives back is called. */
function follow(
  service: Client,
  streams: readonly StreamRef[],
  { numbers, texts }: TraceNames,
  { sent, calculated }: Followed,
): () => void {
  const names: TraceNames = { numbers: sent, texts };
  const rows = rolling(streams, names);
  const ends = new Map(streams.map((stream) => [stream, createLiveEnd()]));
  const ending = new AbortController();
  const live = service.live();
  const watchTags = tagWatch();
  // Another choice of them begins anew: the reader is another one.
  const units = conversions.peek();
  let isNew = false;
  // What is seen is not taken away for the few rows that come before the past has been read.
  let isPastRead = false;
  let worked: readonly Trace[] = [];
  let beatAt = 0;
  let changedAt = 0;
  let arrivedAt: number | undefined;
  let pauseMs = 0;
  const changed = () => {
    isNew = true;
    changedAt = Date.now();
  };
  connected.value = false;
  followProblem.value = '';

  const draw = setInterval(() => {
    if (!isNew || !isPastRead || document.visibilityState === 'hidden') return;
    isNew = false;
    batch(() => {
      const window = rows.window(followedSpan.peek(), drawnWidth.peek());
      const traces = [...(window?.traces ?? []), ...worked].filter(({ parameter, texts: own }) =>
        (own === undefined ? numbers : texts).includes(parameter),
      );
      followed.value = window && { ...window, traces };
      const ahead = [...ends.values()].reduce((sum, end) => sum + end.ahead, 0);
      news.value = window && { newest: window.range.to, arrivedAt, pauseMs, ahead };
    });
  }, frameMs);
  recalculate(
    service,
    streams,
    calculated,
    () => followed.peek() && { load: followed.peek()!, width: drawnWidth.peek() },
    (traces) => {
      worked = traces;
      isNew = true;
    },
    ending.signal,
  );
  const beats = setInterval(() => {
    for (const [stream, end] of ends) if (end.givesWay()) catchUp(true, stream);
    if (changedAt === 0 || changedAt < beatAt || document.visibilityState === 'hidden') return;
    beatAt = Date.now();
    batch(() => {
      beat.value++;
      beatRange.value = followed.value?.range;
    });
  }, beatMs);

  // What was written while there was no connection is read; rows that come twice replace each other.
  const catchUp = catchingUp(streams, {
    read: (stream, wholeUntil) =>
      readPast(
        service,
        stream,
        names,
        rows,
        { end: ends.get(stream)!, span: followedSpan.peek(), wholeUntil },
        ending.signal,
      ),
    newestOf: rows.newestOf,
    onRead: () => {
      isPastRead = true;
      changed();
    },
    onProblem: (error) => {
      isPastRead = true;
      followProblem.value =
        error === undefined ? '' : `Not all rows could be read, trying again: ${problemText(error)}`;
    },
    signal: ending.signal,
  });
  live.onConnection((now) => {
    connected.value = now;
    if (now) noteLoad.peek().retry();
    catchUp(now);
  });
  const take = (stream: StreamRef, data: LiveParameterData) => {
    const { last, isBack } = ends.get(stream)!.take(data.timestamps, followedSpan.peek());
    if (isBack) rows.letGo(stream);
    const own = converted(data, conversionsOf({ ...stream, streamIds: [stream.streamId] }, units));
    rows.add(stream, own, last);
    if (isBack) catchUp(true, stream);
    changed();
    const now = Date.now();
    pauseMs = Math.max(now - (arrivedAt ?? now), pauseMs * pauseFading);
    arrivedAt = now;
    watchTags(stream, data.tagValues);
  };
  // What is seen stays, and following ends.
  const ended = ({ message }: Error) => {
    show({ live: false }, 'settle');
    followProblem.value = `Following ended: ${message}`;
  };
  for (const stream of streams) {
    receiveRows(live, stream, [...names.numbers, ...names.texts], (data) => take(stream, data), ended);
    receiveNotes(live, stream);
  }

  return () => {
    ending.abort(new Error('the page follows something else'));
    clearInterval(draw);
    clearInterval(beats);
    live.close();
    connected.value = undefined;
    tagChange.value = undefined;
  };
}
