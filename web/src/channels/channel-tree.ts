import type { ParameterEntry } from './parameter-entry.ts';

/** A branch of the tree of channels. */
export interface Branch {
  /** What stands in the list: what it has beyond the branch around it. */
  readonly label: string;
  /** The same for no other branch. */
  readonly path: string;
  readonly branches: readonly Branch[];
  readonly leaves: readonly Leaf[];
  /** Of channels in it, at any depth. */
  readonly count: number;
}

export interface Leaf {
  readonly entry: ParameterEntry;
  /** Its name without what branches say. */
  readonly label: string;
}

interface Draft {
  label: string;
  readonly path: string;
  /** Between it and what stands in it. */
  readonly mark: string;
  /** Whether a part of names made it, and no location. */
  readonly isOfNames: boolean;
  readonly branches: Map<string, Draft>;
  leaves: Leaf[];
}

/** A dot or a slash parts a name, but not between digits, nor where there is a space. */
const parts = /(?<=\S)(?:(?<!\d)[./]|[./](?!\d))(?=\S)/;

/**
 * Channels as a tree: by the parts of their locations, then of their names, which dots and slashes part. A part that one
 * channel alone has makes no branch, and branches that stand one in the other with nothing beside make one.
 */
export function channelTree(entries: readonly ParameterEntry[]): Branch {
  const root = draftOf('', '', '', false);
  for (const entry of entries) {
    let at = root;
    for (const part of entry.location.split('/').filter((own) => own !== ''))
      at = branchIn(at, part, at === root ? '/' : '', '/', false);
    let rest = entry.name;
    for (let found = parts.exec(rest); found !== null; found = parts.exec(rest)) {
      at = branchIn(at, rest.slice(0, found.index), '', rest[found.index]!, true);
      rest = rest.slice(found.index + 1);
    }
    at.leaves.push({ entry, label: rest });
  }
  return branchOf(root);
}

function draftOf(label: string, path: string, mark: string, isOfNames: boolean): Draft {
  return { label, path, mark, isOfNames, branches: new Map(), leaves: [] };
}

function branchIn(around: Draft, part: string, before: string, mark: string, isOfNames: boolean): Draft {
  const key = `${isOfNames ? 'n' : 'l'}${part}${mark}`;
  const known = around.branches.get(key);
  if (known !== undefined) return known;
  const made = draftOf(before + part, `${around.path}${around.mark}${before}${part}`, mark, isOfNames);
  around.branches.set(key, made);
  return made;
}

function branchOf(draft: Draft): Branch {
  const branches: Branch[] = [];
  const leaves = [...draft.leaves];
  for (const own of draft.branches.values()) {
    const made = branchOf(own);
    const [only] = made.branches;
    if (own.isOfNames && made.count === 1) leaves.push({ ...onlyLeaf(made), label: namesOf(made, own.mark) });
    else if (made.leaves.length === 0 && made.branches.length === 1)
      branches.push({ ...only!, label: `${made.label}${own.mark}${only!.label}` });
    else branches.push(made);
  }
  const count = leaves.length + branches.reduce((sum, own) => sum + own.count, 0);
  return { label: draft.label, path: draft.path, branches, leaves, count };
}

function onlyLeaf({ branches, leaves }: Branch): Leaf {
  return leaves[0] ?? onlyLeaf(branches[0]!);
}

/** The name of the one channel of a branch, from the branch on. */
function namesOf(branch: Branch, mark: string): string {
  return `${branch.label}${mark}${onlyLeaf(branch).label}`;
}
