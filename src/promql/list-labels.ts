import { entryOf } from '../domain/entry-of.ts';
import { noTags } from '../domain/tags.ts';
import { maxTimestamp, minTimestamp } from '../domain/timestamp.ts';
import { nanoseconds } from './choose-rows.ts';
import { findSeries } from './find-series.ts';
import { type Labels, labelOf, nameLabel } from './labels.ts';
import type { Matcher } from './matchers.ts';
import type { ReadsFrom } from './reads-from.ts';
import { labelTags, metadataPrefix, pairsOf, tagLabel } from './series-labels.ts';

/** Where it is asked what there is. */
export interface Listed {
  /** Selectors, of which a series must meet one; without any all series count. */
  readonly selectors: readonly (readonly Matcher[])[];
  /** Milliseconds, both ends. */
  readonly from: number;
  readonly to: number;
}

/** The series that one of the selectors finds, each once. */
export async function listSeries({ selectors, from, to }: Listed, source: ReadsFrom): Promise<Labels[]> {
  const found = new Map<string, Labels>();
  for (const matchers of selectors) {
    for (const labels of await findSeries(matchers, from, to, source)) found.set(labels.key, labels);
  }
  return [...found.values()];
}

/** Names of labels, in order. */
export async function listLabels(listed: Listed, source: ReadsFrom): Promise<string[]> {
  const names = new Set<string>();
  if (listed.selectors.length > 0) {
    for (const { pairs } of await listSeries(listed, source)) for (const [name] of pairs) names.add(name);
    return [...names].sort();
  }
  const { store, signal, countRows, view } = source;
  for (const pairs of await streamPairs(listed, source)) for (const [name] of pairs) names.add(name);
  if (names.size > 0) names.add(nameLabel);
  for (const { name } of await store.tagNames(everything(listed, source), signal, countRows)) {
    names.add(tagLabel(name, view));
  }
  return [...names].sort();
}

/** Values of a label, in order. */
export async function listValues(label: string, listed: Listed, source: ReadsFrom): Promise<string[]> {
  const values = new Set<string>();
  if (listed.selectors.length > 0) {
    for (const labels of await listSeries(listed, source)) values.add(labelOf(labels, label));
  } else if (label === nameLabel) {
    for (const name of await namesThere(listed, source)) values.add(name);
  } else {
    for (const pairs of await streamPairs(listed, source)) {
      for (const [name, value] of pairs) if (name === label) values.add(value);
    }
    const { store, signal, countRows, view } = source;
    const tags = label.startsWith(metadataPrefix) ? [] : labelTags(label, view);
    for (const tag of tags) {
      for (const value of await store.tagValues(everything(listed, source), tag, signal, countRows))
        values.add(value);
    }
  }
  values.delete('');
  return [...values].sort();
}

function everything({ from, to }: Listed, { workspace }: ReadsFrom) {
  const range = { from: nanoseconds(from), to: nanoseconds(to) };
  return { workspace, streamIds: undefined, topic: undefined, ...range, tagFilters: [] };
}

/** The streams with data in the range. */
async function streamsThere({ from, to }: Listed, { store, workspace, now, signal }: ReadsFrom) {
  const streams = await store.catalog.streams(workspace, {}, now, signal);
  const [first, last] = [nanoseconds(from), nanoseconds(to)];
  return streams.filter(
    ({ dataStart, dataEnd }) => dataStart !== undefined && dataStart <= last && dataEnd! >= first,
  );
}

/** What each stream with data in the range gives its series. */
async function streamPairs(listed: Listed, source: ReadsFrom) {
  const streams = await streamsThere(listed, source);
  return streams.map((stream) => pairsOf(stream, noTags, source.view, stream.metadata));
}

/** Parameters of the streams with data in the range. */
async function namesThere(listed: Listed, source: ReadsFrom): Promise<string[]> {
  const { store, workspace, signal } = source;
  const isAll = nanoseconds(listed.from) === minTimestamp && nanoseconds(listed.to) === maxTimestamp;
  const ofTopics = new Map<string, string[]>();
  for (const { topic, streamId } of isAll ? [] : await streamsThere(listed, source))
    entryOf(ofTopics, topic, () => []).push(streamId);
  const filters = isAll ? [{}] : [...ofTopics].map(([topic, streamIds]) => ({ topic, streamIds }));
  const names: string[] = [];
  for (const filter of filters) {
    const known = await store.catalog.parameters(workspace, { ...filter, includeTypes: ['Numeric'] }, signal);
    for (const { id } of known) names.push(id);
  }
  return names;
}
