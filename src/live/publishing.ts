import type { Slices } from '../slices.ts';
import type { Source } from './live-event.ts';
import { type Publication, publishContent } from './publish.ts';

/**
 * Delivers packages one after the other, in slices of the thread's time: one with very many events or readers does not
 * keep the thread. A package is delivered at once where none waits before it and the slice lasts.
 */
export interface Publishing {
  /** @param bytes what the client sent */
  add(publication: Omit<Publication, 'source'>, bytes: number): void;
  /** Delivers no more. */
  close(): void;
}

/** Bytes of packages that wait for their slice; what comes beyond is let go of, and its readers are told. */
const defaultMaxWaitingBytes = 64 << 20;

interface Waiting {
  readonly steps: Generator<void, void, void>;
  readonly bytes: number;
}

/** @param missed a package was let go of */
export function createPublishing(
  slices: Slices,
  missed: () => void,
  maxWaitingBytes = defaultMaxWaitingBytes,
): Publishing {
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let isClosed = false;

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
    while (done < waiting.length && deliver(waiting[done]!)) waitingBytes -= waiting[done++]!.bytes;
    waiting = waiting.slice(done);
    if (waiting.length > 0) slices.later(goOn);
  };

  const wait = (publication: Waiting): void => {
    if (waitingBytes > 0 && waitingBytes + publication.bytes > maxWaitingBytes) {
      missed();
      return;
    }
    waiting.push(publication);
    waitingBytes += publication.bytes;
    if (waiting.length === 1) slices.later(goOn);
  };

  return {
    add(publication, bytes) {
      const source: Source = { bytes: bytesOf(publication) };
      const next = { steps: publishContent({ ...publication, source }), bytes };
      if (waiting.length > 0 || slices.isOver() || !deliver(next)) wait(next);
    },
    close() {
      isClosed = true;
      waiting = [];
      waitingBytes = 0;
    },
  };
}

/** An event, or a definition, as objects in memory, about. */
const objectBytes = 200;

/** What the content takes in memory, about. */
function bytesOf({ content }: Pick<Publication, 'content'>): number {
  switch (content.type) {
    case 'parameterData': {
      let bytes = 0;
      for (const { offsets, tagIndex, columns } of content.rows) {
        bytes += offsets.byteLength + (tagIndex?.byteLength ?? 0);
        for (const column of columns) {
          bytes +=
            'values' in column ? column.values.byteLength : column.bytes.byteLength + column.ends.byteLength;
        }
      }
      return bytes;
    }
    case 'eventData':
      return content.events.reduce((sum, { value }) => sum + value.length * 2 + objectBytes, 0);
    case 'parameterDefinitions':
    case 'eventDefinitions':
      return content.definitions.length * objectBytes;
    case 'stream':
    case 'close':
      return 0;
  }
}
