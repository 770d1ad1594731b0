import type { PlacedStream } from '../../domain/listing.ts';
import type { Stream } from '../../domain/stream.ts';
import { isoFromMillis } from '../../domain/timestamp.ts';

/**
 * The answer of `/streams`: an array of
 *
 *   { streamId, name, topic, createdAt, lastUpdate, timeOfRecording?, dataStart?, dataEnd?, status, metadata, parents,
 *     location }
 *
 * createdAt, lastUpdate and timeOfRecording are ISO 8601 UTC; dataStart and dataEnd are int64 nanoseconds, exact,
 * or strings of their digits where `int64AsString` asks for them.
 */
export function* encodeStreams(
  streams: readonly Stream[],
  { int64AsString }: { readonly int64AsString: boolean },
): Generator<Uint8Array> {
  let text = '[';
  for (const [i, stream] of streams.entries()) {
    text += i === 0 ? '' : ',';
    text += streamText(stream, int64AsString);
    if (text.length >= chunkLength) {
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(`${text}]`);
}

/**
 * The answer of `/streams/models`: the same streams, each with `children`, an array of the same form. The streams come
 * from the top of the tree down, so nesting costs no memory.
 */
export function* encodeStreamModels(
  placed: Iterable<PlacedStream>,
  { int64AsString }: { readonly int64AsString: boolean },
): Generator<Uint8Array> {
  let text = '[';
  /** How many arrays of children are open. */
  let open = 0;
  for (const { stream, depth } of placed) {
    if (open > depth) text += `${']}'.repeat(open - depth)},`;
    text += `${streamText(stream, int64AsString).slice(0, -1)},"children":[`;
    open = depth + 1;
    if (text.length < chunkLength) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(`${text}${']}'.repeat(open)}]`);
}

const chunkLength = 64 * 1024;

function streamText(stream: Stream, int64AsString: boolean): string {
  const { streamId, name, topic, timeOfRecording, dataStart, dataEnd, status, metadata, parents, location } =
    stream;
  const head = JSON.stringify({
    streamId,
    name,
    topic,
    createdAt: isoFromMillis(stream.createdAt),
    lastUpdate: isoFromMillis(stream.lastUpdate),
    timeOfRecording: timeOfRecording === undefined ? undefined : isoFromMillis(timeOfRecording),
  });
  const digits = (value: bigint) => (int64AsString ? `"${value}"` : String(value));
  const start = dataStart === undefined ? '' : `"dataStart":${digits(dataStart)},`;
  const end = dataEnd === undefined ? '' : `"dataEnd":${digits(dataEnd)},`;
  const tail = JSON.stringify({ status, metadata, parents, location });
  return `${head.slice(0, -1)},${start}${end}${tail.slice(1)}`;
}
