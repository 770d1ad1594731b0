import type { StreamInfo } from '../../../src/client/client.ts';
import { timeText } from '../lines/time-text.ts';
import { openStreams } from '../runs/open-streams.ts';
import { isStream } from '../state/same-stream.ts';
import { show, streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { Problem, replacing } from '../ui/notice.tsx';
import { found } from './found.ts';
import { RunStatus } from './run-status.tsx';
import { RunSwatch } from './run-swatch.tsx';
import { streamName } from './stream-name.ts';

/**
 * What is known of the open streams: properties, metadata, extent, as new as the list of streams is. Their lines are there
 * before it is known, so that the list below stays where it is.
 */
export function StreamDetails() {
  const { value, error, busy, retry } = openStreams.value;
  const open = streams.value;
  const knownOf = (ref: StreamRef) =>
    [...(found.value.value ?? []), ...(value ?? [])].find((stream) => isStream(stream, ref));
  const isUnsure = value === undefined || busy || error !== undefined;
  const shown = open.filter((ref) => isUnsure || value.some((stream) => isStream(stream, ref)));
  const problem = replacing(error, value !== undefined);
  return (
    <section class="details" aria-label="Open runs">
      {problem !== undefined && <Problem error={problem} onRetry={retry} isAll />}
      {open.length === 0 && <p class="soft">No run is open.</p>}
      {open.length > 0 && shown.length === 0 && (
        <p class="soft">The open runs do not exist here, or were deleted.</p>
      )}
      {problem === undefined &&
        shown.map((ref) => (
          <Details key={`${ref.topic}/${ref.streamId}`} stream={ref} known={knownOf(ref)} />
        ))}
    </section>
  );
}

function Details({ stream, known }: { stream: StreamRef; known: StreamInfo | undefined }) {
  return (
    <details>
      <summary>
        <RunSwatch run={stream} />
        {streamName(stream)} {known !== undefined && <RunStatus status={known.status} />}
      </summary>
      <button type="button" class="quiet" onClick={() => close(stream)}>
        Close this run
      </button>
      <dl class="pairs">
        {(known === undefined ? [] : fieldsOf(known)).map(([name, text]) => (
          <div key={name} class="pair">
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function close(stream: StreamRef): void {
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
