import { pause } from '../backoff.ts';
import type { EndType, StreamInfo } from '../models.ts';
import { createDescription, type Description } from './copy-description.ts';
import { type Follower, followStream } from './follow.ts';
import { missingEvents, missingRows } from './late-rows.ts';
import { inOneOrder, oneAhead, type Piece } from './pieces.ts';
import { createPlayer, type Player } from './player.ts';
import type { ReplayOptions, ReplayPlace, ReplayResult, ReplayService } from './replay-options.ts';
import { createSchedule } from './schedule.ts';
import { atOnce, eventWindows, rowPages } from './source-pages.ts';

/** What one replay works with. */
interface Replay {
  readonly service: ReplayService;
  readonly options: ReplayOptions;
  readonly source: ReplayPlace;
  readonly target: ReplayPlace;
  readonly description: Description;
  readonly player: Player;
  /** Ends what reads; writes are never broken off. */
  readonly signal: AbortSignal;
}

/** The shortest time of a pass: one of a single row is not repeated as fast as it goes. */
const shortestPassMs = 50;
const slowest = 0.001;
const fastest = 1_000_000;

/**
 * Reads rows and events of a stream and writes them to another one at the pace of their times, in their order. A source
 * that is still being written is followed until it is closed or interrupted, or is past `to`. At the end the target is
 * closed. Rejects with RangeError or TypeError for options that make no sense, with an Error where there is no such
 * stream, and with what the calls of the client reject with; the target stays open then.
 */
export async function replay(service: ReplayService, options: ReplayOptions): Promise<ReplayResult> {
  const { topic, streamId, toTopic, toStreamId = streamId, times = 'original', signal: asked } = options;
  checkOptions(options);
  const source = { topic, streamId };
  const target = { topic: toTopic, streamId: toStreamId };
  const ending = new AbortController();
  const signal = asked === undefined ? ending.signal : AbortSignal.any([asked, ending.signal]);
  const clock = { now: () => performance.now(), wall };
  const schedule = createSchedule(options.speed ?? 1, times, clock);
  const whole: Replay = {
    service,
    options,
    source,
    target,
    description: createDescription(service, source, target, { signal }),
    player: createPlayer({ service, target, schedule, clock, signal, onProgress: options.onProgress }),
    signal,
  };
  const { player } = whole;
  try {
    for (;;) {
      const beganMs = clock.now();
      const stream = await playOnce(whole);
      const wrote = player.passed();
      if (options.loop !== true || !wrote) return await end(whole, closedAs(stream));
      await pause(Math.max(0, beganMs + shortestPassMs - clock.now()), signal);
    }
  } catch (error) {
    if (asked?.aborted !== true || error !== asked.reason) throw error;
    return await end(whole, 'Aborted');
  } finally {
    ending.abort();
  }
}

/** Milliseconds since the Unix epoch, in parts of one where both clocks still tell the same. */
function wall(): number {
  const [ms, fine] = [Date.now(), performance.timeOrigin + performance.now()];
  return Math.abs(fine - ms) < 2 ? fine : ms;
}

async function end({ service, target, player }: Replay, endType: EndType): Promise<ReplayResult> {
  const { begun, ...counts } = player.counts();
  if (begun) await service.closeStream(target.topic, target.streamId, endType);
  return { ...counts, endType };
}

/** From the first time to the end of the source, late rows included; gives the source as it was at the end. */
async function playOnce(whole: Replay): Promise<StreamInfo> {
  const { service, options, source, description, player, signal } = whole;
  const follower = await followStream(service, source, options, { signal });
  try {
    await description.copy(follower.stream, options.from, options.to);
    player.begin();
    for await (const { piece, waited } of oneAhead(piecesOf(whole, follower))) {
      await player.play(piece, waited);
    }
    // It may be gone, or described otherwise after its last row.
    const stream = await follower.look();
    await description.copy(stream, options.from, options.to);
    const { wasOpen } = follower;
    // Rows of other times cannot be told from those that are there.
    if (wasOpen && options.loop !== true && options.times !== 'now') await playLate(whole, stream);
    return stream;
  } finally {
    follower.stop();
  }
}

async function* piecesOf(
  { service, options, source, description, signal }: Replay,
  follower: Follower,
): AsyncGenerator<{ readonly piece: Piece; readonly waited: boolean }> {
  const request = { signal };
  for await (const { stream, from, to, waited } of follower.stretches()) {
    const names = await description.copy(stream, from, to);
    const extent = { ...source, from, to };
    const rows = rowPages(service, extent, names, options.speed ?? 1, request);
    const events = eventWindows(service, extent, request);
    let isFirst = waited;
    // Each ahead by itself: where events stand between rows, the last piece of a page may be a row that is due at once.
    for await (const piece of inOneOrder(oneAhead(rows), oneAhead(events))) {
      yield { piece, waited: isFirst };
      isFirst = false;
    }
  }
}

/** Writes at once what came to the source after its time had been read. */
async function playLate(whole: Replay, stream: StreamInfo): Promise<void> {
  const { service, options, source, target, description, player, signal } = whole;
  const { dataStart, dataEnd } = stream;
  const from = options.from ?? dataStart;
  const to = dataEnd !== undefined && options.to !== undefined && options.to < dataEnd ? options.to : dataEnd;
  if (from === undefined || to === undefined || from > to) return;
  const request = { signal };
  const names = await description.copy(stream, from, to);
  const extent = { ...source, from, to };
  for await (const page of rowPages(service, extent, names, atOnce, request)) {
    const rows = await missingRows(service, target, names, page, request);
    if (rows !== undefined) await player.writeLate({ kind: 'rows', rows });
  }
  for await (const window of eventWindows(service, extent, request)) {
    const events = await missingEvents(service, target, window, request);
    if (events.length > 0) await player.writeLate({ kind: 'events', events });
  }
}

function closedAs({ status }: StreamInfo): EndType {
  return status === 'Aborted' || status === 'Terminated' ? status : 'Closed';
}

function checkOptions(options: ReplayOptions): void {
  const { topic, streamId, toTopic, toStreamId = streamId, speed = 1, from, to } = options;
  if (topic.toLowerCase() === toTopic.toLowerCase() && streamId === toStreamId) {
    throw new TypeError('a stream cannot be replayed to itself: another topic or stream is needed');
  }
  if (!(speed >= slowest && speed <= fastest)) {
    throw new RangeError(`speed is from ${slowest} to ${fastest}, not ${speed}`);
  }
  if (from !== undefined && to !== undefined && from > to) {
    throw new RangeError(`from is after to: ${from} > ${to}`);
  }
}
