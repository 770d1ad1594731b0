import { pause } from '../backoff.ts';
import type { StreamInfo } from '../models.ts';
import type { RequestOptions } from '../transport.ts';
import type { ReplayPlace, ReplayService } from './replay-options.ts';

/** A stretch of the source that is to be replayed next: times inclusive, ns. */
export interface Stretch {
  readonly stream: StreamInfo;
  readonly from: bigint;
  readonly to: bigint;
  /** Whether it had to be waited for, because the source had no more. */
  readonly waited: boolean;
}

export interface Follower {
  /** The stretches of the stream, one after the other, until it has ended or is past `to`. */
  stretches(): AsyncGenerator<Stretch>;
  /** Whether the stream was open at some look, so that rows may have come late. */
  readonly wasOpen: boolean;
  /** The stream at the last look. */
  readonly stream: StreamInfo;
  /** The stream as it is now. Rejects where it is gone. */
  look(): Promise<StreamInfo>;
  /** Ends the looks. */
  stop(): void;
}

/** How long after it was seen that far rows of an open stream are read, so that channels may come one after another. */
const settleMs = 2000;
const lookEveryMs = 500;
const waitMs = 50;

/** Looks at the stream at once and then again and again while it is open. Rejects where there is none. */
export async function followStream(
  service: ReplayService,
  { topic, streamId }: ReplayPlace,
  range: { readonly from?: bigint | undefined; readonly to?: bigint | undefined },
  request: RequestOptions,
): Promise<Follower> {
  const { from, to } = range;
  /** How far the stream was at looks of the last seconds. */
  let seen: { readonly atMs: number; readonly end: bigint }[] = [];
  let settled: bigint | undefined;
  let fault: Error | undefined;
  let wasOpen = false;
  let seenOnce = false;
  let stopped = false;

  const look = async (): Promise<StreamInfo> => {
    const [found] = await service.streams({ topic, streamIds: [streamId] }, request);
    if (found === undefined)
      throw new Error(
        seenOnce
          ? `the stream ${streamId} of topic ${topic} was deleted while it was read`
          : `there is no stream ${streamId} in topic ${topic}`,
      );
    seenOnce = true;
    const nowMs = performance.now();
    if (found.dataEnd !== undefined) seen.push({ atMs: nowMs, end: found.dataEnd });
    while (seen.length > 0 && seen[0]!.atMs <= nowMs - settleMs) settled = seen.shift()!.end;
    wasOpen ||= found.status === 'Open';
    return found;
  };
  const isGoingOn = ({ status, dataEnd }: StreamInfo): boolean =>
    status === 'Open' && (to === undefined || dataEnd === undefined || (settled ?? dataEnd) <= to);

  let stream = await look();
  const lookOn = async (): Promise<void> => {
    while (!stopped && isGoingOn(stream)) {
      await pause(lookEveryMs, request.signal);
      stream = await look();
    }
    seen = [];
  };
  lookOn().catch((error: Error) => {
    fault = error;
  });

  return {
    async *stretches() {
      let next = from;
      let waited = false;
      for (;;) {
        if (fault !== undefined) throw fault;
        const current = stream;
        const goesOn = isGoingOn(current);
        const start = next ?? current.dataStart;
        const end = goesOn ? settled : current.dataEnd;
        const last = end !== undefined && to !== undefined && to < end ? to : end;
        if (start !== undefined && last !== undefined && start <= last) {
          yield { stream: current, from: start, to: last, waited };
          next = last + 1n;
          waited = false;
        } else if (goesOn) {
          waited = true;
          await pause(waitMs, request.signal);
        }
        if (!goesOn) return;
      }
    },
    look,
    get wasOpen() {
      return wasOpen;
    },
    get stream() {
      return stream;
    },
    stop() {
      stopped = true;
    },
  };
}
