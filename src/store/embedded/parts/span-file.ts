import type { PartFile } from './part-bytes.ts';

/** Ranges no longer than this are read with what follows them; a longer one is worth a read of its own. */
const smallRange = 2048;
/** The next span is twice as long where it follows the one before. */
const fewestSpanBytes = 16 * 1024;
const mostSpanBytes = 256 * 1024;

interface Span {
  readonly position: number;
  readonly length: number;
  /** As soon as they are read. */
  bytes: Buffer | undefined;
  readonly reading: Promise<Buffer>;
}

/**
 * A part file for a read that goes through it from its begin to its end, small range by small range: these are cut from
 * long spans, of which the last two are at hand. To read each by itself would cost more than all that is done with it, and
 * to keep each in the cache would take more for its entry than for its bytes.
 */
export function spanFile(file: PartFile): PartFile {
  let spans: Span[] = [];

  function spanOf(position: number, length: number): Span | undefined {
    return spans.find(
      (span) => position >= span.position && position + length <= span.position + span.length,
    );
  }

  function lengthAt(position: number): number {
    const [before] = spans;
    if (before === undefined) return fewestSpanBytes;
    const passedOver = position - before.position - before.length;
    const follows = Math.abs(passedOver) <= before.length;
    return follows ? Math.min(mostSpanBytes, 2 * before.length) : fewestSpanBytes;
  }

  function open(position: number): Span {
    const length = Math.min(lengthAt(position), file.size - position);
    const reading = file.readFresh!(position, length);
    const span: Span = { position, length, bytes: undefined, reading };
    spans = [span, ...spans.slice(0, 1)];
    reading.then(
      (bytes) => {
        span.bytes = bytes;
      },
      () => {
        spans = spans.filter((other) => other !== span);
      },
    );
    return span;
  }

  function cut({ position: start }: Span, bytes: Buffer, position: number, length: number): Buffer {
    return bytes.subarray(position - start, position - start + length);
  }

  return {
    name: file.name,
    size: file.size,
    async read(position, length) {
      if (length > smallRange || file.readFresh === undefined) return file.read(position, length);
      const span = spanOf(position, length) ?? open(position);
      return cut(span, await span.reading, position, length);
    },
    held(position, length) {
      const kept = file.held?.(position, length);
      if (kept !== undefined || length > smallRange) return kept;
      const span = spanOf(position, length);
      return span?.bytes && cut(span, span.bytes, position, length);
    },
    ...(file.layout && { layout: file.layout }),
  };
}
