import type { Steps } from '../../turns/steps.ts';
/** Things in a tree: each once, parents before their children, brothers in their order. */
export interface Tree {
  /** What stands at the top. */
  readonly roots: readonly number[];
  /** What stands below one of them, itself first. */
  below(root: number): Generator<{ readonly index: number; readonly depth: number }>;
}

/**
 * Puts `count` things into a tree. Each stands below the first of its parents that does not stand below it already, so
 * parents in a circle make a chain that begins after the first of them; what has no such parent stands at the top.
 *
 * @param parentsOf indexes of possible parents, the best first
 */
export function buildTree(count: number, parentsOf: (index: number) => Iterable<number>): Tree {
  const steps = treeInSteps(count, parentsOf);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The items that are put into the tree in one step. */
const thingsOfStep = 512;

/** Makes the tree in steps. */
export function* treeInSteps(count: number, parentsOf: (index: number) => Iterable<number>): Steps<Tree> {
  const parent = new Int32Array(count).fill(-1);
  const top = topFinder(parent);
  for (let index = 0; index < count; index++) {
    if ((index + 1) % thingsOfStep === 0) yield;
    for (const candidate of parentsOf(index)) {
      if (top(candidate) === index) continue;
      parent[index] = candidate;
      break;
    }
  }
  const firstChild = new Int32Array(count).fill(-1);
  const nextBrother = new Int32Array(count).fill(-1);
  const roots: number[] = [];
  for (let index = count - 1; index >= 0; index--) {
    if ((index + 1) % thingsOfStep === 0) yield;
    const above = parent[index]!;
    if (above < 0) {
      roots.push(index);
    } else {
      nextBrother[index] = firstChild[above]!;
      firstChild[above] = index;
    }
  }
  return {
    roots: roots.reverse(),
    *below(root) {
      let index = root;
      let depth = 0;
      for (;;) {
        yield { index, depth };
        if (firstChild[index]! >= 0) {
          index = firstChild[index]!;
          depth++;
          continue;
        }
        while (depth > 0 && nextBrother[index]! < 0) {
          index = parent[index]!;
          depth--;
        }
        if (depth === 0) return;
        index = nextBrother[index]!;
      }
    },
  };
}

/** Finds what stands at the top above something; shortcuts keep long chains cheap. */
function topFinder(parent: Int32Array): (index: number) => number {
  const shortcut = Int32Array.from(parent, (_, index) => index);
  return (start) => {
    let top = start;
    for (;;) {
      const above = shortcut[top] === top ? parent[top]! : shortcut[top]!;
      if (above < 0) break;
      top = above;
    }
    for (let index = start; index !== top; ) {
      const above = shortcut[index] === index ? parent[index]! : shortcut[index]!;
      shortcut[index] = top;
      index = above;
    }
    return top;
  };
}
