import { orderedTagSet, type TagPair, type TagSet, tagSet, tagValue } from '../domain/tags.ts';

/** The labels of a series, in order of their names; a label without a value is none. */
export type Labels = TagSet;

export const nameLabel = '__name__';

/** The value of a label, '' where there is none. */
export function labelOf(labels: Labels, name: string): string {
  return tagValue(labels, name) ?? '';
}

export function keepLabels(labels: Labels, names: readonly string[]): Labels {
  return orderedTagSet(labels.pairs.filter(([name]) => names.includes(name)));
}

export function dropLabels(labels: Labels, names: readonly string[]): Labels {
  const kept = labels.pairs.filter(([name]) => !names.includes(name));
  return kept.length === labels.pairs.length ? labels : orderedTagSet(kept);
}

const justName = [nameLabel];

export function withoutName(labels: Labels): Labels {
  return dropLabels(labels, justName);
}

export function withLabel(labels: Labels, name: string, value: string): Labels {
  const others: TagPair[] = labels.pairs.filter(([other]) => other !== name);
  return tagSet(value === '' ? others : [...others, [name, value]]);
}

/** Returns a series as Prometheus shows it in errors. */
export function labelsText({ pairs }: Labels): string {
  return `{${pairs.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(', ')}}`;
}
