import type { StreamInfo } from '../../../src/client/client.ts';
import { timeText } from '../lines/time-text.ts';
import { openStreams } from '../runs/open-streams.ts';
import { isStream } from '../state/same-stream.ts';
import { show, streams } from '../state/view.ts';
import { Problem } from '../ui/notice.tsx';
import { found } from './found.ts';
import { nameAmong } from './name-among.ts';

/** What is known of the open streams: properties, metadata, extent, as new as the list of streams is. */
export function StreamDetails() {
  const { value, error, busy, retry } = openStreams.value;
  if (error !== undefined) return <Problem error={error} onRetry={retry} isAll />;
  if (value === undefined) return null;
  if (value.length === 0 && !busy) {
    return <p class="soft">The open runs do not exist here, or were deleted.</p>;
  }
  const newest = value.map((stream) => found.value.value?.find((other) => isStream(other, stream)) ?? stream);
  return (
    <section class="details" aria-label="Open runs">
      {newest.map((stream) => (
        <details key={`${stream.topic}/${stream.streamId}`}>
          <summary>
            {nameAmong(stream, newest)}{' '}
            <span class={`status ${stream.status.toLowerCase()}`}>{stream.status}</span>
          </summary>
          <button type="button" class="quiet" onClick={() => close(stream)}>
            Close this run
          </button>
          <dl class="pairs">
            {fieldsOf(stream).map(([name, text]) => (
              <div key={name} class="pair">
                <dt>{name}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </details>
      ))}
    </section>
  );
}

function close(stream: StreamInfo): void {
  show({ streams: streams.value.filter((open) => !isStream(open, stream)), range: undefined });
}

function fieldsOf(stream: StreamInfo): (readonly [string, string])[] {
  const { topic, streamId, location, parents, timeOfRecording, createdAt, lastUpdate } = stream;
  const fields: (readonly [string, string | undefined])[] = [
    ['topic', topic],
    ['id', streamId],
    ['location', location],
    ...Object.entries(stream.metadata),
    ['parents', parents.length === 0 ? undefined : parents.join(', ')],
    ['first data', stream.dataStart === undefined ? undefined : timeText(stream.dataStart)],
    ['last data', stream.dataEnd === undefined ? undefined : timeText(stream.dataEnd)],
    ['recorded', timeOfRecording],
    ['created', createdAt],
    ['last written', lastUpdate],
  ];
  return fields.filter((field): field is readonly [string, string] => field[1] !== undefined);
}
