import { type Branch, channelTree } from './channel-tree.ts';
import type { ParameterEntry } from './parameter-entry.ts';

/** A line of the list: a branch of the tree, or a channel. */
export type ChannelLine =
  | {
      readonly group: string;
      readonly path: string;
      readonly depth: number;
      readonly isOpen: boolean;
      readonly count: number;
    }
  | {
      readonly group?: never;
      readonly entry: ParameterEntry;
      /** Its name, without what branches around it say. */
      readonly label: string;
      readonly depth: number;
      readonly isStarred: boolean;
    };

/** Of more channels branches are closed until one opens them. */
const mostOpen = 200;
/** The path of the favourites, which no branch has. */
const favouritesPath = '★';

/**
 * Channels that have all words, in any order, as a tree; favourites stand first, and not again below. `turned` are the paths
 * of branches that were opened where they are closed by themselves, or closed. Where words are looked for all are open.
 */
export function channelLines(
  entries: readonly ParameterEntry[],
  filter: string,
  favourites: readonly string[],
  turned: readonly string[] = [],
): ChannelLine[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const matching = entries.filter(({ id, name, description, location, unit }) => {
    const text = `${id} ${name} ${description} ${location} ${unit}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const isStarred = ({ id }: ParameterEntry) => favourites.includes(id);
  const isOpen = (path: string) =>
    words.length > 0 || (entries.length <= mostOpen || path === favouritesPath) !== turned.includes(path);
  const starred = matching.filter(isStarred);
  const lines: ChannelLine[] = [];
  const add = (branch: Branch, depth: number, isLine: boolean): void => {
    const open = !isLine || isOpen(branch.path);
    const { label: group, path, count } = branch;
    if (isLine) lines.push({ group, path, depth, isOpen: open, count });
    if (!open) return;
    const inside = isLine ? depth + 1 : depth;
    for (const { entry, label } of branch.leaves)
      lines.push({ entry, label, depth: inside, isStarred: false });
    for (const own of branch.branches) add(own, inside, true);
  };
  if (starred.length > 0) {
    const open = isOpen(favouritesPath);
    lines.push({ group: 'Favourites', path: favouritesPath, depth: 0, isOpen: open, count: starred.length });
    if (open)
      for (const entry of starred) lines.push({ entry, label: entry.name, depth: 1, isStarred: true });
  }
  const tree = channelTree(matching.filter((own) => !isStarred(own)));
  // What stands at the top of the tree has a line of its own beside favourites, which it would seem to be of.
  const atTop = { ...tree, label: '/', path: '/', branches: [], count: tree.leaves.length };
  if (starred.length > 0 && tree.leaves.length > 0) {
    add(atTop, 0, true);
    add({ ...tree, leaves: [] }, 0, false);
  } else add(tree, 0, false);
  return lines;
}
