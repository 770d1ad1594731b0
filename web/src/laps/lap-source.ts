import { computed, effect, signal } from '@preact/signals';
import { countingChannels } from '../channels/counting-channels.ts';
import { openParameters } from '../channels/parameters.ts';
import { refreshes } from '../runs/found.ts';
import { mayGrow } from '../runs/open-streams.ts';
import { openTags, readTagsAgain, tagsOfOpen } from '../runs/open-tags.ts';
import { client } from '../session.ts';
import { noSource } from '../state/lap-source.ts';
import { isStream } from '../state/same-stream.ts';
import { stable } from '../state/stable.ts';
import { lapsBy, streams } from '../state/view.ts';
import type { LapSource, StreamRef } from '../state/view-text.ts';
import { later, loaded } from '../ui/loading.ts';
import { afterwards } from '../ui/turns.ts';
import type { Counted } from './count-changes.ts';
import { loadCounted } from './count-load.ts';
import { lapTagOf } from './lap-names.ts';
import { whyNoCount } from './lap-ranges.ts';

const foundTag = computed(() => tagsOfOpen.value && lapTagOf(tagsOfOpen.value));
// While no tag counts laps, one may come now.
effect(() => {
  refreshes.value;
  if (foundTag.peek() === '' && mayGrow.peek()) readTagsAgain();
});

/** Channels whose names say that they count laps. */
const named = stable(() => {
  const { value, busy } = openParameters.value;
  return busy || value === undefined ? undefined : countingChannels(value);
});

/** What was chosen, unless no open run has it: a choice is kept for the topic, and its runs may differ. */
const chosen = stable(() => {
  const source = lapsBy.value;
  if (source === undefined) return { source, isThere: false, isSure: true };
  const { value, busy } = openParameters.value;
  const channels = busy ? undefined : value;
  const isKnown = {
    tag: tagsOfOpen.value?.some(({ name }) => name === source.name),
    channel: channels?.some(({ id, type }) => type === 'Numeric' && id === source.name),
    none: true,
  }[source.kind];
  // Nobody waits until it is known.
  return { source, isThere: isKnown ?? true, isSure: isKnown !== undefined };
});
/** Whether it is known that open runs have what was chosen, or that they have not. */
export const isLapSourceSure = computed(() => chosen.value.isSure);

/** The channels to look at: that which was chosen, or where no tag counts laps those that may; undefined: nobody knows yet. */
const asked = stable<readonly string[] | undefined>(() => {
  const { source, isThere } = chosen.value;
  if (isThere) return source?.kind === 'channel' ? [source.name] : [];
  if (foundTag.value === undefined) return undefined;
  return foundTag.value === '' ? named.value : [];
});

/** What a channel counts in a run; undefined where it changes too often. */
interface CountedRun {
  readonly stream: StreamRef;
  readonly counted: Counted | undefined;
}

interface CountedChannel {
  readonly channel: string;
  readonly runs: readonly CountedRun[];
}

interface Counts {
  readonly streams: unknown;
  readonly asked: unknown;
  readonly channels: readonly CountedChannel[];
}

/** Grows where there may be changes that are not known. */
const again = signal(0);

export function readCountsAgain(): void {
  again.value = again.peek() + 1;
}

/** What channels count, run by run. */
export const counts = loaded<Counts>(() => {
  const service = client.value;
  const open = streams.value;
  const names = asked.value;
  if (service === undefined || open.length === 0 || names?.length === 0) return undefined;
  if (names === undefined) return openTags.value.busy || openParameters.value.busy ? later : undefined;
  return afterwards(async (signal) => {
    const channels = names.map(async (channel): Promise<CountedChannel> => {
      const runs = open.map(async (stream) => {
        const rows = { topic: stream.topic, streamIds: [stream.streamId] };
        return { stream, counted: await loadCounted(service, rows, channel, signal) };
      });
      return { channel, runs: await Promise.all(runs) };
    });
    return { streams: open, asked: names, channels: await Promise.all(channels) };
  });
}, again);

/** They, of what is open now. */
const countsNow = computed(() => {
  const { value, error } = counts.value;
  // What was known stays where nothing can be read.
  if (error !== undefined) return value;
  if (value?.streams !== streams.value) return undefined;
  return asked.value === undefined || value.asked === asked.value ? value : undefined;
});

/** Of one that counts: in how many steps. */
function steps({ runs }: CountedChannel): number {
  return runs.reduce((sum, { counted }) => sum + (counted?.changes.length ?? 0), 0);
}

/** Runs that have the channel. */
function having({ runs }: CountedChannel): readonly CountedRun[] {
  return runs.filter(({ counted }) => counted === undefined || counted.changes.length > 0);
}

/** The one that counts most of those that count in every run that has them. */
const foundChannel = computed(() => {
  const counting = (countsNow.value?.channels ?? []).filter((own) => {
    const runs = having(own);
    return runs.some(({ counted }) => whyNoCount(counted) === undefined) && !runs.some(isNoise);
  });
  return counting.sort((a, b) => steps(b) - steps(a))[0]?.channel ?? '';
});

/** One that stands still in a run is none that goes anywhere. */
function isNoise({ counted }: CountedRun): boolean {
  return whyNoCount(counted) !== undefined && (counted === undefined || counted.changes.length > 1);
}

/** What tells which lap a row is of: what was chosen, or a tag that seems to count laps, or a channel; `none` where nothing does. */
export const lapSource = stable<LapSource>(() => {
  const { source, isThere } = chosen.value;
  if (source !== undefined && isThere) return source;
  const [tag, channel] = [foundTag.value ?? '', foundChannel.value];
  if (tag !== '') return { kind: 'tag', name: tag };
  if (channel !== '') return { kind: 'channel', name: channel };
  return source ?? noSource;
});

/** Whether it is known. */
export const isLapSourceKnown = computed(() => {
  if (chosen.value.isThere || asked.value?.length === 0) return true;
  // What was counted before the tags came says nothing of these.
  if (foundTag.value === undefined) return false;
  return countsNow.value !== undefined || counts.value.error !== undefined;
});
/** Whether it is looked for, for the first time in these runs. */
export const isLapSourceComing = computed(() => {
  if (isLapSourceKnown.value && isLapSourceSure.value) return false;
  return openTags.value.busy || openParameters.value.busy || counts.value.busy;
});

/** What the channel that counts laps counts in each run; undefined where none does, and while it is not known. */
export const countedRuns = computed(() => {
  const { kind, name } = lapSource.value;
  return kind === 'channel'
    ? countsNow.value?.channels.find(({ channel }) => channel === name)?.runs
    : undefined;
});

export function countedIn(runs: readonly CountedRun[] | undefined, stream: StreamRef): Counted | undefined {
  return runs?.find((own) => isStream(own.stream, stream))?.counted;
}

/** Why a run has no laps; undefined where it may have some. */
export function whyNoLaps(stream: StreamRef): string | undefined {
  const { kind, name } = lapSource.value;
  const hasNumbers = openParameters.value.value?.some(({ type }) => type === 'Numeric');
  if (hasNumbers === false) return 'Laps are told of runs that have a channel with numbers.';
  const own = countedRuns.value?.find((run) => isStream(run.stream, stream));
  if (own !== undefined && own.counted === undefined)
    return `The ${kind} ${name} changes too often to count laps.`;
  return kind === 'none' ? undefined : `No row has the ${kind} ${name}.`;
}

/** What is to be said of the channel that counts laps: it may be one that was chosen. */
export const fractionOfCount = computed(
  () => countedRuns.value?.flatMap(({ counted }) => counted?.fraction ?? [])[0],
);

/** Channels that are called as if they counted laps, and why they are not taken. */
export const refusedChannels = computed(() =>
  (countsNow.value?.channels ?? []).flatMap((own) => {
    const why = having(own).flatMap(({ counted }) => whyNoCount(counted) ?? [])[0];
    return why === undefined ? [] : [{ channel: own.channel, why }];
  }),
);
