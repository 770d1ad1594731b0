import type { Slices } from '../turns/slices.ts';
import type { Steps } from '../turns/steps.ts';
import { bytesOfEvent, bytesOfRows, objectBytes } from './content-bytes.ts';
import type { Source } from './live-event.ts';
import { type Publication, publishContent } from './publish.ts';
import type { PublishingRoom } from './publishing-room.ts';

/**
 * Delivers packages one after the other, in slices of the thread's time: one with very many events or readers does not
 * keep the thread. A package is delivered at once where none waits before it and the slice lasts.
 */
export interface Publishing {
  add(publication: Omit<Publication, 'source'>): void;
  /** Delivers no more. */
  close(): void;
}

interface Waiting {
  readonly steps: Steps<void>;
  readonly bytes: number;
}

/** @param missed a package was let go of */
export function createPublishing(
  slices: Pick<Slices, 'isOver' | 'later'>,
  missed: () => void,
  room: PublishingRoom,
): Publishing {
  let waiting: Waiting[] = [];
  let isClosed = false;
  const share = room.open({
    letGo() {
      missed();
      return waiting.pop()!.bytes;
    },
  });

  /** True when all of it is delivered. */
  const deliver = ({ steps }: Waiting): boolean => {
    do {
      if (steps.next().done === true) return true;
    } while (!slices.isOver());
    return false;
  };

  const goOn = (): void => {
    if (isClosed) return;
    let done = 0;
    while (done < waiting.length && deliver(waiting[done]!)) {
      // The last reader may have left for what it got.
      if (isClosed) return;
      share.give(waiting[done++]!.bytes);
    }
    waiting = waiting.slice(done);
    if (waiting.length > 0) slices.later(goOn);
  };

  const wait = (publication: Waiting): void => {
    if (isClosed) return;
    if (!share.take(publication.bytes)) {
      missed();
      return;
    }
    waiting.push(publication);
    if (waiting.length === 1) slices.later(goOn);
  };

  return {
    add(publication) {
      const source: Source = { bytes: bytesOf(publication) };
      const next = {
        steps: publishContent({ source, ...publication }),
        bytes: source.bytes + objectBytes,
      };
      if (waiting.length > 0 || slices.isOver() || !deliver(next)) wait(next);
    },
    close() {
      isClosed = true;
      waiting = [];
      share.close();
    },
  };
}

/** What the content takes in memory, about. */
function bytesOf({ content }: Pick<Publication, 'content'>): number {
  switch (content.type) {
    case 'parameterData':
      return bytesOfRows(content.rows, () => true);
    case 'eventData':
      return content.events.reduce((sum, event) => sum + bytesOfEvent(event), 0);
    case 'parameterDefinitions':
    case 'eventDefinitions':
      return content.definitions.length * objectBytes;
    case 'stream':
    case 'close':
      return 0;
  }
}
