import { type TagPair, type TagSet, tagSet } from '../domain/tags.ts';
import { excerpt, nameFlaw } from './name.ts';
import type { PayloadLimits } from './payload-limits.ts';
import type { Series } from './series-rows.ts';

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
  const { maxNameBytes } = limits;
  let name: string | undefined;
  let topic: string | undefined;
  const places: (string | undefined)[] = [];
  const tags: TagPair[] = [];
  for (const label of labels) {
    const [key, value] = label;
    const flaw = nameFlaw(key, maxNameBytes);
    if (flaw !== undefined) return `a label ${flaw}`;
    if (value === '') continue;
    const place = streamLabels.indexOf(key);
    if (place >= 0) {
      if (places[place] !== undefined) return `the label ${key} stands twice`;
      places[place] = value;
    }
    if (key === '__name__') {
      if (name !== undefined) return 'the label __name__ stands twice';
      name = value;
    } else if (key === 'job') {
      if (topic !== undefined) return 'the label job stands twice';
      topic = value;
    } else if (place < 0) {
      if (value.length > limits.maxStringBytes || Buffer.byteLength(value) > limits.maxStringBytes)
        return `the label ${key} has more than ${limits.maxStringBytes} bytes`;
      tags.push(label);
    }
  }
  if (name === undefined) return 'there is no label __name__';
  const streamId = places.filter((place) => place !== undefined).join('/') || (topic ?? defaultTopic);
  const checked = [
    ['__name__', name],
    ['job', topic ?? defaultTopic],
    [streamLabels.join(), streamId],
  ] as const;
  for (const [what, text] of checked) {
    const flaw = nameFlaw(text, maxNameBytes);
    if (flaw !== undefined) return `the label ${what} ${flaw}`;
  }
  return tagged({ topic: topic ?? defaultTopic, streamId, name }, tags, limits);
}

/** The series with these tags. Gives what is wrong with them. */
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
