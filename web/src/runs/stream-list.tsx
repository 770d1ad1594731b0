import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { StreamInfo } from '../../../src/client/client.ts';
import { clockText, shortTimeText } from '../lines/time-text.ts';
import { zone } from '../lines/zone.ts';
import { isStream } from '../state/same-stream.ts';
import { search, show, streams, topic } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { useAiming } from '../ui/aiming.ts';
import { Problem } from '../ui/notice.tsx';
import { VirtualList } from '../ui/virtual-list.tsx';
import { Filters } from './filters.tsx';
import { found, grouping, narrowing, readOn, refreshes } from './found.ts';
import { grouped, inPlaces, keyOfLine, type RunLine } from './group.ts';
import { NothingFound } from './no-runs.tsx';
import { RunStatus } from './run-status.tsx';
import { RunSwatch } from './run-swatch.tsx';

/** Finds streams and opens them: a click opens one alone, the box beside it adds it to those that are open. */
export function StreamList() {
  const { value, error, busy } = found.value;
  const typed = useSignal(search.value);
  const by = grouping.value;
  // Days are those of the zone.
  const known = useMemo(() => grouped(value ?? [], by), [value, by, zone.value]);
  const { host, isAiming } = useAiming<HTMLElement>();
  const asks = JSON.stringify([search.value, topic.value, narrowing.value, by, zone.value]);
  const kept = useRef<{ readonly asks: string; readonly lines: readonly RunLine[] }>({ asks: '', lines: [] });
  const lines = useMemo(() => {
    // What is on its way may be the answer to something else.
    if (busy) return kept.current.asks === '' ? known : kept.current.lines;
    const isSame = kept.current.asks === asks;
    kept.current = { asks, lines: isSame && isAiming.value ? inPlaces(kept.current.lines, known) : known };
    return kept.current.lines;
  }, [known, busy, asks, isAiming.value]);

  /** What was searched for last from here. */
  const asked = useRef(typed.value);

  // Back, or another address, may search for something else.
  useEffect(() => {
    if (search.value === asked.current) return;
    asked.current = search.value;
    typed.value = search.value;
  }, [search.value]);
  useEffect(() => {
    const timer = setTimeout(() => {
      asked.current = typed.value;
      if (typed.value !== search.value) show({ search: typed.value }, 'replace');
    }, 200);
    return () => clearTimeout(timer);
  }, [typed.value]);

  return (
    <section ref={host} class="streams" aria-label="Runs" aria-busy={busy}>
      <search>
        <input
          type="search"
          placeholder="Search runs"
          aria-label="Search runs"
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
        <Filters />
      </search>
      {error !== undefined && <Problem error={error} onRetry={() => refreshes.value++} />}
      {value?.length === 0 && error === undefined && <NothingFound />}
      {lines.length > 0 && (
        <VirtualList
          label="Runs found"
          items={lines}
          keyOf={keyOfLine}
          heightOf={heightOfLine}
          render={renderLine}
          onEnd={readOn}
        />
      )}
    </section>
  );
}

/** Pixels. */
function heightOfLine(line: RunLine): number {
  return line.group === undefined ? 50 : 28;
}

function renderLine(line: RunLine) {
  if (line.group === undefined) return <StreamItem stream={line.stream} />;
  return (
    <span class="group">
      {line.group} <span class="soft">{line.count}</span>
    </span>
  );
}

function StreamItem({ stream }: { stream: StreamInfo }) {
  const { topic, streamId, name, status, dataStart, dataEnd } = stream;
  const ref: StreamRef = { topic, streamId };
  const open = streams.value;
  const isOpen = open.some((own) => isStream(own, ref));
  const toggle = () =>
    show({
      streams: isOpen ? open.filter((own) => !isStream(own, ref)) : [...open, ref],
      range: undefined,
    });
  return (
    <div class={`run ${isOpen ? 'open' : ''}`}>
      <input type="checkbox" checked={isOpen} onChange={toggle} aria-label={`Show ${name} too`} />
      <button type="button" onClick={() => show({ streams: [ref], range: undefined })} aria-pressed={isOpen}>
        <span class="name" title={name}>
          <RunSwatch run={stream} />
          {name}
        </span>
        <RunStatus status={status} />
        <span class="detail">
          {dataStart === undefined || dataEnd === undefined
            ? 'no data'
            : `${shortTimeText(dataStart).slice(0, 16)} · ${clockText(dataEnd - dataStart)}`}
          {` · ${topic}`}
        </span>
      </button>
    </div>
  );
}
