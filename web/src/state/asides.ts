import type { View } from './view-shape.ts';

/** Parts of a view that are not what one sees of the runs: nobody takes a change of them back. */
const asides: readonly (keyof View)[] = ['search', 'topic', 'panel', 'zone', 'savedId', 'savedTag'];

/** The parts of the picture that differ. */
export function changedParts(before: View, next: View): (keyof View)[] {
  const names = Object.keys(next) as (keyof View)[];
  return names.filter((name) => !asides.includes(name) && textOf(before[name]) !== textOf(next[name]));
}

export function isSamePicture(one: View, other: View): boolean {
  return changedParts(one, other).length === 0;
}

/** An earlier picture, with what stands beside it now. The saved view is the one that it came from, as it was saved last. */
export function pictureOf(earlier: View, now: View): View {
  const { search, topic, panel, zone } = now;
  const savedTag = earlier.savedId === now.savedId ? now.savedTag : earlier.savedTag;
  return { ...earlier, search, topic, panel, zone, savedTag };
}

function textOf(part: unknown): string {
  return JSON.stringify([part], (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}
