import type { PartFile } from './part-bytes.ts';

/** The longest range that is read with what follows it; a longer one is worth a read of its own. */
const spannedRange = 64 * 1024;
/** The length up to which a range would take more in the cache for its entry than for its bytes. */
const smallRange = 2048;
/** The bytes of the first span; the next one is twice as long where it follows the one before. */
const fewestSpanBytes = 16 * 1024;
const mostSpanBytes = 256 * 1024;
/** What one read may have at hand of all its parts: two spans of each. */
const readBytes = 32 << 20;

/** The longest span for a read that goes through so many parts by turns. */
export function spanBytesOf(parts: number): number {
  const share = Math.floor(readBytes / (2 * Math.max(1, parts)));
  return Math.max(2 * smallRange, Math.min(mostSpanBytes, share));
}

interface Span {
  readonly position: number;
  readonly length: number;
  /** As soon as they are read. */
  bytes: Buffer | undefined;
  readonly reading: Promise<Buffer>;
}

/**
 * A part file for a read that goes through it from its begin to its end, range by range: those that the cache does not have
 * are cut from long spans, of which the last two are at hand. To read each by itself would cost more than all that is done
 * with it. The cache keeps what is cut; of the smallest ranges it keeps the spans, which the same read finds again.
 *
 * @param spanBytes no span is longer
 * @param keeps whether the cache keeps what is cut; not where each range is wanted once
 */
export function spanFile(file: PartFile, spanBytes = mostSpanBytes, keeps = true): PartFile {
  let spans: Span[] = [];
  const firstBytes = Math.min(fewestSpanBytes, spanBytes);

  function spanOf(position: number, length: number): Span | undefined {
    return spans.find(
      (span) => position >= span.position && position + length <= span.position + span.length,
    );
  }

  function lengthAt(position: number): number {
    const [before] = spans;
    if (before === undefined) return firstBytes;
    const passedOver = position - before.position - before.length;
    const follows = Math.abs(passedOver) <= before.length;
    return follows ? Math.min(spanBytes, 2 * before.length) : firstBytes;
  }

  function spanLength(position: number, least: number): number {
    return Math.min(Math.max(lengthAt(position), least), file.size - position);
  }

  function add(span: Span): Span {
    spans = [span, ...spans.slice(0, 1)];
    return span;
  }

  /** A span that the cache has. */
  function keptSpan(position: number, least: number): Span | undefined {
    const length = spanLength(position, least);
    const bytes = file.held?.(position, length);
    return bytes && add({ position, length, bytes, reading: Promise.resolve(bytes) });
  }

  function open(position: number, least: number): Span {
    const length = spanLength(position, least);
    const reading = file.readFresh!(position, length);
    const span = add({ position, length, bytes: undefined, reading });
    reading.then(
      (bytes) => {
        span.bytes = bytes;
        if (keeps && least <= smallRange && bytes.length === length) file.putBytes?.(position, bytes);
      },
      () => {
        spans = spans.filter((other) => other !== span);
      },
    );
    return span;
  }

  function cut({ position: start }: Span, bytes: Buffer, position: number, length: number): Buffer {
    const range = bytes.subarray(position - start, position - start + length);
    if (!keeps || length <= smallRange || range.length < length) return range;
    return file.putBytes?.(position, range) ?? range;
  }

  return {
    name: file.name,
    size: file.size,
    async read(position, length) {
      if (length > spannedRange || file.readFresh === undefined) return file.read(position, length);
      const span = spanOf(position, length) ?? open(position, length);
      return cut(span, await span.reading, position, length);
    },
    held(position, length) {
      const kept = file.held?.(position, length);
      if (kept !== undefined || length > spannedRange) return kept;
      const span = spanOf(position, length) ?? keptSpan(position, length);
      return span?.bytes && cut(span, span.bytes, position, length);
    },
    ...(file.markOf && { markOf: file.markOf }),
  };
}
