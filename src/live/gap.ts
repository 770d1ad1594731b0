import { foldTopic } from '../domain/topic.ts';
import { type Subscriber, wildcard } from './subscription.ts';

/** Tells readers that something is missing: they come back and read what they missed. */
export interface GapTeller {
  /**
   * However often it is called before they are told, they are told once.
   *
   * @param topic only to readers of this one; absent or `*`: to all
   */
  missed(topic?: string): void;
  close(): void;
}

/** How long all nodes may take to be back after a gap, so that readers come back once. */
const gatherMs = 2000;
/**
 * From one telling of a workspace to the next; what is missed meanwhile is told then. A writer whose packages are lost again
 * and again cannot keep its readers coming and going all the time.
 */
const pauseMs = 10_000;
/** How many readers come back at one time, and how long until the next. */
const interruptedAtOnce = 500;
const interruptPauseMs = 100;

/** When the readers of a workspace were told last, also where all have gone since. */
export interface GapPause {
  /** Milliseconds until they may be told again. */
  leftMs(): number;
  told(): void;
}

export function createGapPauses(now: () => number = () => performance.now()) {
  const toldAt = new Map<string, number>();

  function forgetOld(): void {
    for (const [workspace, time] of toldAt) if (now() - time >= pauseMs) toldAt.delete(workspace);
  }

  return {
    of: (workspace: string): GapPause => ({
      leftMs: () => (toldAt.get(workspace) ?? Number.NEGATIVE_INFINITY) + pauseMs - now(),
      told() {
        forgetOld();
        toldAt.set(workspace, now());
      },
    }),
  };
}

/**
 * @param readers those who may have missed something of these topics (folded), or of any, when they are told
 * @param onTold gets how many that are, where there are any
 */
export function gapTeller(
  readers: (topics?: ReadonlySet<string>) => readonly Subscriber[],
  onTold: (readers: number) => void = () => undefined,
  pause: GapPause = createGapPauses().of(''),
): GapTeller {
  let timer: NodeJS.Timeout | undefined;
  /** Undefined stands for all. */
  let topics: Set<string> | undefined = new Set();
  let isWaiting = false;

  function interrupt(all: readonly Subscriber[]): void {
    for (const reader of all.slice(0, interruptedAtOnce)) reader.interrupted?.();
    const rest = all.slice(interruptedAtOnce);
    timer = rest.length === 0 ? undefined : setTimeout(() => interrupt(rest), interruptPauseMs).unref();
    if (timer === undefined && isWaiting) wait();
  }

  function wait(): void {
    timer = setTimeout(
      () => {
        const all = readers(topics);
        topics = new Set();
        isWaiting = false;
        if (all.length > 0) {
          onTold(all.length);
          pause.told();
        }
        interrupt(all);
      },
      Math.max(gatherMs, pause.leftMs()),
    ).unref();
  }

  return {
    missed(topic) {
      if (topic === undefined || topic === wildcard) topics = undefined;
      else topics?.add(foldTopic(topic));
      isWaiting = true;
      if (timer === undefined) wait();
    },
    close() {
      clearTimeout(timer);
    },
  };
}
