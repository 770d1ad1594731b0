import { noTags, type TagPair, type TagSet, tagValue } from '../domain/tags.ts';

/** The labels of a series, in order of their names; a label without a value is none. */
export type Labels = TagSet;

/** Labels whose key is made when it is asked for. */
class KeyedLabels implements TagSet {
  readonly pairs: readonly TagPair[];
  #key: string | undefined;

  constructor(pairs: readonly TagPair[]) {
    this.pairs = pairs;
  }

  get key(): string {
    this.#key ??= JSON.stringify(this.pairs);
    return this.#key;
  }
}

/** @param pairs in order of their names */
function orderedLabels(pairs: readonly TagPair[]): Labels {
  return pairs.length === 0 ? noTags : new KeyedLabels(pairs);
}

/** Labels of pairs in any order: they are few, and mostly in order. */
export function labelsOf(pairs: readonly TagPair[]): Labels {
  const ordered = [...pairs];
  for (let i = 1; i < ordered.length; i++) {
    const pair = ordered[i]!;
    let at = i;
    for (; at > 0 && ordered[at - 1]![0] > pair[0]; at--) ordered[at] = ordered[at - 1]!;
    ordered[at] = pair;
  }
  return orderedLabels(ordered);
}

export const nameLabel = '__name__';

/** The value of a label, '' where there is none. */
export function labelOf(labels: Labels, name: string): string {
  return tagValue(labels, name) ?? '';
}

export function keepLabels(labels: Labels, names: readonly string[]): Labels {
  return orderedLabels(labels.pairs.filter(([name]) => names.includes(name)));
}

export function dropLabels(labels: Labels, names: readonly string[]): Labels {
  const kept = labels.pairs.filter(([name]) => !names.includes(name));
  return kept.length === labels.pairs.length ? labels : orderedLabels(kept);
}

const justName = [nameLabel];

export function withoutName(labels: Labels): Labels {
  return dropLabels(labels, justName);
}

/** The labels that an aggregation groups by, or without which it does. */
export interface Grouping {
  readonly without: boolean;
  readonly labels: readonly string[];
}

/** The labels of the group in which an aggregation puts a series. */
export function groupLabels(labels: Labels, grouping: Grouping): Labels {
  return grouping.without
    ? dropLabels(labels, [...grouping.labels, nameLabel])
    : keepLabels(labels, grouping.labels);
}

export function withLabel(labels: Labels, name: string, value: string): Labels {
  const others: TagPair[] = labels.pairs.filter(([other]) => other !== name);
  return labelsOf(value === '' ? others : [...others, [name, value]]);
}

/** Returns a series as Prometheus shows it in errors. */
export function labelsText({ pairs }: Labels): string {
  return `{${pairs.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(', ')}}`;
}
