import { type TagPair, type TagSet, tagSet } from '../../domain/tags.ts';
import { excerpt, nameFlaw } from '../base/name.ts';
import type { PayloadLimits } from '../rows/payload-limits.ts';
import type { Series } from './series-rows.ts';
import { streamOfValues } from './stream-labels.ts';

/** How the labels of Prometheus say where a series goes. */
export interface LabelRules {
  /** Labels whose values, with slashes between them, are the stream. */
  readonly streamLabels: readonly string[];
  readonly limits: PayloadLimits;
}

/** Where series go that name no job. */
const defaultTopic = 'prometheus';

/**
 * The parameter is `__name__`, the topic is the job, the stream the instance; all other labels are tags. A label without a
 * value is none. A series without a job goes to `prometheus`, one without what makes the stream to the stream of its topic's
 * name. Gives what is wrong where there is no such series.
 */
export function seriesOfLabels(
  labels: readonly TagPair[],
  { streamLabels, limits }: LabelRules,
): Series | string {
  const found: FoundLabels = { name: undefined, topic: undefined, places: [], tags: [] };
  for (const label of labels) {
    const flaw = take(found, label, streamLabels, limits);
    if (flaw !== undefined) return flaw;
  }
  const { name, topic, places, tags } = found;
  if (name === undefined) return 'there is no label __name__';
  const streamId = streamOfValues(places, streamLabels.length) || (topic ?? defaultTopic);
  const checked = [
    ['__name__', name],
    ['job', topic ?? defaultTopic],
    [streamLabels.join(), streamId],
  ] as const;
  for (const [what, text] of checked) {
    const flaw = nameFlaw(text, limits.maxNameBytes);
    if (flaw !== undefined) return `the label ${what} ${flaw}`;
  }
  return tagged({ topic: topic ?? defaultTopic, streamId, name }, tags, limits);
}

interface FoundLabels {
  name: string | undefined;
  topic: string | undefined;
  /** Aligned with the labels that make the stream. */
  readonly places: (string | undefined)[];
  readonly tags: TagPair[];
}

/** Takes a label. Gives what is wrong with it. */
function take(
  found: FoundLabels,
  label: TagPair,
  streamLabels: readonly string[],
  { maxNameBytes, maxStringBytes }: PayloadLimits,
): string | undefined {
  const [key, value] = label;
  const flaw = nameFlaw(key, maxNameBytes);
  if (flaw !== undefined) return `a label ${flaw}`;
  if (value === '') return undefined;
  const place = streamLabels.indexOf(key);
  if (place >= 0) {
    if (found.places[place] !== undefined) return `the label ${key} stands twice`;
    found.places[place] = value;
  }
  if (key === '__name__') {
    if (found.name !== undefined) return `the label ${key} stands twice`;
    found.name = value;
  } else if (key === 'job') {
    if (found.topic !== undefined) return `the label ${key} stands twice`;
    found.topic = value;
  } else if (place < 0) {
    if (value.length > maxStringBytes || Buffer.byteLength(value) > maxStringBytes)
      return `the label ${key} has more than ${maxStringBytes} bytes`;
    found.tags.push(label);
  }
  return undefined;
}

/** Sets the tags of a series. Returns the series, or what is wrong with the tags. */
export function tagged(
  series: Omit<Series, 'tags'>,
  pairs: readonly TagPair[],
  { maxTags }: PayloadLimits,
): Series | string {
  if (pairs.length > maxTags) return `${excerpt(series.name)} has more than ${maxTags} labels`;
  const tags: TagSet = tagSet(pairs);
  for (let i = 1; i < tags.pairs.length; i++) {
    const [key] = tags.pairs[i]!;
    if (key === tags.pairs[i - 1]![0]) return `the label ${excerpt(key)} stands twice`;
  }
  return { ...series, tags };
}
