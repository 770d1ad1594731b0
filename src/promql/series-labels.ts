import type { StreamKey } from '../domain/stream.ts';
import { type TagPair, type TagSet, tagSet } from '../domain/tags.ts';
import { valuesOfStream } from '../wire/series/stream-labels.ts';
import { type Labels, labelsOf, nameLabel } from './labels.ts';
import { type Expression, partsOf } from './syntax.ts';

/**
 * How rows become series with labels. It is the way back of remote write: the parameter is `__name__`, the topic `job`, the stream
 * `instance` (or the labels that make the stream), tags are the other labels. A tag with one of these names is
 * `exported_…`, as where Prometheus scrapes a label that it sets itself.
 *
 * A query that names `topic` or `stream` gets these labels in the place of `job` and `instance`, unless it names both; one that names
 * `meta_…` gets that metadata of the streams.
 */
export interface LabelView {
  /** Labels that make the stream. */
  readonly streamLabels: readonly string[];
  readonly showsJob: boolean;
  readonly showsInstance: boolean;
  readonly showsTopic: boolean;
  readonly showsStream: boolean;
  /** Names of labels `meta_…`. */
  readonly metadata: readonly string[];
}

export const metadataPrefix = 'meta_';

/** Where remote write puts series without a job. */
const topicWithoutJob = 'prometheus';

export function labelView(named: ReadonlySet<string>, streamLabels: readonly string[]): LabelView {
  const [showsTopic, showsStream] = [named.has('topic'), named.has('stream')];
  return {
    streamLabels,
    showsTopic,
    showsStream,
    showsJob: !showsTopic || named.has('job'),
    showsInstance: !showsStream || streamLabels.some((label) => named.has(label)),
    metadata: [...named].filter((name) => name.startsWith(metadataPrefix)),
  };
}

/** All labels that a query names, and the texts in it, which may be names. */
export function namedLabels(expression: Expression, found = new Set<string>()): Set<string> {
  const add = (names: readonly string[]): void => {
    for (const name of names) found.add(name);
  };
  if (expression.type === 'vector') add(expression.matchers.map(({ name }) => name));
  if (expression.type === 'aggregate') add(expression.labels);
  if (expression.type === 'string') found.add(expression.value);
  if (expression.type === 'binary' && expression.matching !== undefined) {
    add(expression.matching.labels);
    add(expression.matching.include);
  }
  for (const part of partsOf(expression)) namedLabels(part, found);
  return found;
}

/** The end of a pair without a value, in the key of a set. */
const noValue = ',""]';

/** The tags that are labels: one without a value is none. */
export function shownTags(tags: TagSet): TagSet {
  return tags.key.includes(noValue) ? tagSet(tags.pairs.filter(([, value]) => value !== '')) : tags;
}

/** The labels of the stream and its rows' tags, without a name. */
export function pairsOf(
  { topic, streamId }: StreamKey,
  tags: TagSet,
  view: LabelView,
  metadata: Readonly<Record<string, string>>,
): TagPair[] {
  const shown = shownTags(tags).pairs;
  const own = new Set(shown.map(([name]) => name));
  const pairs: TagPair[] = shown.map(([name, value]) => [tagLabel(name, view, own), value]);
  const isWithoutInstance = streamId === topic;
  const shows = {
    topic: view.showsTopic && !own.has('topic'),
    stream: view.showsStream && !own.has('stream'),
  };
  if (shows.topic) pairs.push(['topic', topic]);
  if (shows.stream) pairs.push(['stream', streamId]);
  if ((view.showsJob || !shows.topic) && !(isWithoutInstance && topic === topicWithoutJob))
    pairs.push(['job', topic]);
  if ((view.showsInstance || !shows.stream) && !isWithoutInstance)
    for (const [i, value] of valuesOfStream(streamId, view.streamLabels.length).entries())
      pairs.push([view.streamLabels[i]!, value]);
  for (const name of view.metadata) {
    const value = metadataOf(name, metadata);
    if (value !== undefined && value !== '' && !own.has(name)) pairs.push([name, value]);
  }
  return pairs.filter(([, value]) => value !== '');
}

export function named(pairs: readonly TagPair[], name: string): Labels {
  return labelsOf([...pairs, [nameLabel, name]]);
}

const exported = 'exported_';
const noNames: ReadonlySet<string> = new Set();

/**
 * The label of a tag.
 *
 * @param own all tags of the row: where one of them has that name already, it is exported once more, as Prometheus does
 */
export function tagLabel(
  tag: string,
  { streamLabels }: Pick<LabelView, 'streamLabels'>,
  own = noNames,
): string {
  if (!isOwnLabel(tag, streamLabels)) return tag;
  let label = exported + tag;
  while (own.has(label)) label = exported + label;
  return label;
}

/** The tags that may give a label; none where it comes from elsewhere. */
export function labelTags(label: string, { streamLabels }: Pick<LabelView, 'streamLabels'>): string[] {
  if (isOwnLabel(label, streamLabels)) return [];
  for (let inner = label; inner.startsWith(exported); ) {
    inner = inner.slice(exported.length);
    if (isOwnLabel(inner, streamLabels)) return [label, inner];
  }
  return [label];
}

function isOwnLabel(name: string, streamLabels: readonly string[]): boolean {
  return name === nameLabel || name === 'job' || streamLabels.includes(name);
}

/** `meta_Car_Name` is the key `Car_Name`, or one of which it has all letters and digits. */
function metadataOf(label: string, metadata: Readonly<Record<string, string>>): string | undefined {
  const key = label.slice(metadataPrefix.length);
  if (Object.hasOwn(metadata, key)) return metadata[key];
  const other = Object.keys(metadata).find((one) => one.replace(/[^a-zA-Z0-9_]/g, '_') === key);
  return other === undefined ? undefined : metadata[other];
}
