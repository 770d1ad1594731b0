import type { StreamInfo } from '../../../src/client/client.ts';
import { distanceChannel } from '../channels/known-channels.ts';
import { clockText, durationText } from '../lines/time-text.ts';
import { found } from '../runs/found.ts';
import { nameAmong } from '../runs/name-among.ts';
import { openStreams } from '../runs/open-streams.ts';
import { RunSwatch } from '../runs/run-swatch.tsx';
import { isStream } from '../state/same-stream.ts';
import { show, streams, view } from '../state/view.ts';

/** More runs than this are found under Runs. */
const mostRuns = 50;

/** Where nothing counts laps, runs are compared: two ticks lay two over each other. */
export function RunTable() {
  const open = openStreams.value.value ?? [];
  const others = (found.value.value ?? []).filter((run) => !open.some((own) => isStream(own, run)));
  const runs = [...open, ...others].filter(({ dataStart }) => dataStart !== undefined).slice(0, mostRuns);
  if (runs.length === 0) return null;
  return (
    <table class="lap-table">
      <caption>Runs</caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="unseen">Compare</span>
          </th>
          <th scope="col" class="of-text">
            Run
          </th>
          <th scope="col">Length</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <RunLine key={`${run.topic}/${run.streamId}`} run={run} name={nameAmong(run, runs)} />
        ))}
      </tbody>
    </table>
  );
}

function RunLine({ run, name }: { run: StreamInfo; name: string }) {
  const isTicked = streams.value.some((open) => isStream(open, run));
  return (
    <tr class={isTicked ? 'ticked' : ''}>
      <td>
        <input
          type="checkbox"
          aria-label={`Compare ${name}`}
          checked={isTicked}
          onChange={() => toggleRun(run)}
        />
      </td>
      <th scope="row" class="run-cell">
        <RunSwatch run={run} />
        {name}
      </th>
      <td title={durationText(run.dataEnd! - run.dataStart!)}>{clockText(run.dataEnd! - run.dataStart!)}</td>
    </tr>
  );
}

/** Ticks a run or takes it out; the last one stays. */
function toggleRun({ topic, streamId }: StreamInfo): void {
  const run = { topic, streamId };
  const others = streams.value.filter((open) => !isStream(open, run));
  const now = others.length < streams.value.length ? others : [...others, run];
  if (now.length === 0) return;
  const isCompared = now.length > 1;
  const { mode, alignBy } = view.value;
  show({
    streams: now,
    range: undefined,
    across: undefined,
    mode: isCompared ? 'overlay' : 'time',
    alignBy: mode === 'overlay' ? alignBy : (distanceChannel.value?.id ?? ''),
  });
}
