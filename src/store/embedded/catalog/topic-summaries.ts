import type { TopicSummary } from '../../../domain/listing.ts';
import { compareText } from '../../../domain/tags.ts';
import type { CatalogState, Topic } from './catalog-state.ts';
import { visibleExtent } from './retention.ts';

/** `/topics`: every topic that was written to or given settings, by name; those whose streams are all gone too. */
export function topicSummaries(state: CatalogState, workspace: string): TopicSummary[] {
  return [...(state.topicsByName.get(workspace)?.values() ?? [])]
    .filter(({ visible }) => visible)
    .map((topic) => summaryOf(state, topic))
    .sort((a, b) => compareText(a.name, b.name));
}

function summaryOf(state: CatalogState, topic: Topic): TopicSummary {
  const { isVisible, rows } = state.streams;
  let streams = 0;
  let dataStart: bigint | undefined;
  let dataEnd: bigint | undefined;
  let lastUpdate: number | undefined;
  for (const stream of topic.streams.values()) {
    if (!isVisible(stream) || rows.softDeleted[stream] === true) continue;
    streams++;
    lastUpdate = Math.max(lastUpdate ?? 0, rows.lastUpdate[stream]!);
    const data = visibleExtent(state, stream);
    if (data === undefined) continue;
    if (dataStart === undefined || data.first < dataStart) dataStart = data.first;
    if (dataEnd === undefined || data.last > dataEnd) dataEnd = data.last;
  }
  return { name: topic.name, streams, dataStart, dataEnd, lastUpdate };
}
