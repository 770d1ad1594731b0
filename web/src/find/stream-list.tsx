import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { StreamInfo } from '../../../src/client/client.ts';
import { isStream } from '../look/same-stream.ts';
import { durationText, timeText } from '../look/time-text.ts';
import { show, view } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { Filters } from './filters.tsx';
import { found, keepFresh, narrowing, page, pageLength, refreshes } from './found.ts';

/** Finds streams and opens them: a click opens one alone, the box beside it adds it to those that are open. */
export function StreamList() {
  useEffect(keepFresh, []);
  const { value, error, busy } = found.value;
  const typed = useSignal(view.value.search);

  useEffect(() => {
    const timer = setTimeout(() => {
      if (typed.value === view.value.search) return;
      page.value = 0;
      show({ search: typed.value }, 'replace');
    }, 200);
    return () => clearTimeout(timer);
  }, [typed.value]);

  return (
    <section class="streams" aria-label="Streams" aria-busy={busy}>
      <search>
        <input
          type="search"
          placeholder="Search streams"
          aria-label="Search streams"
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
        <Filters />
      </search>
      {error !== undefined && <Problem error={error} onRetry={() => refreshes.value++} />}
      {value?.length === 0 && error === undefined && <NoStreams />}
      {value !== undefined && value.length > 0 && (
        <ul>
          {value.map((stream) => (
            <StreamItem key={`${stream.topic}/${stream.streamId}`} stream={stream} />
          ))}
        </ul>
      )}
      {value !== undefined && (page.value > 0 || value.length === pageLength) && (
        <Pager count={value.length} />
      )}
    </section>
  );
}

function StreamItem({ stream }: { stream: StreamInfo }) {
  const { topic, streamId, name, status, dataStart, dataEnd } = stream;
  const ref: StreamRef = { topic, streamId };
  const { streams } = view.value;
  const isOpen = streams.some((open) => isStream(open, ref));
  const toggle = () =>
    show({
      streams: isOpen ? streams.filter((open) => !isStream(open, ref)) : [...streams, ref],
      range: undefined,
    });
  return (
    <li class={isOpen ? 'open' : ''}>
      <input type="checkbox" checked={isOpen} onChange={toggle} aria-label={`Show ${name} too`} />
      <button type="button" onClick={() => show({ streams: [ref], range: undefined })} aria-pressed={isOpen}>
        <span class="name">{name}</span>
        <span class={`status ${status.toLowerCase()}`}>{status}</span>
        <span class="detail">
          {topic} · {dataStart === undefined ? 'no data' : durationText(dataEnd! - dataStart)}
          {dataEnd !== undefined && ` · until ${timeText(dataEnd).slice(0, 16)}`}
        </span>
      </button>
    </li>
  );
}

function NoStreams() {
  const { search, topic } = view.value;
  const { status, location, metadata } = narrowing.value;
  if ([search, topic, status, location, metadata].every((text) => text === '')) {
    return (
      <Empty title="No streams yet">
        <p>
          Write one with the <a href="./docs">API</a>, drop a CSV file here, or try <code>npm run demo</code>.
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing matches">
      <p>No stream has all of this. Take something out of the search or the filters.</p>
    </Empty>
  );
}

function Pager({ count }: { count: number }) {
  return (
    <nav class="pager" aria-label="Pages of streams">
      <button type="button" disabled={page.value === 0} onClick={() => page.value--}>
        Previous
      </button>
      <span>Page {page.value + 1}</span>
      <button type="button" disabled={count < pageLength} onClick={() => page.value++}>
        Next
      </button>
    </nav>
  );
}
