/** Longest topic or filter, and its most levels: each level is a step of a match. */
const maxLevels = 128;

/** What is wrong with the topic of a message (MQTT 5.0, section 4.7); undefined for a good one. */
export function topicFlaw(topic: string): string | undefined {
  if (topic === '') return 'an empty topic';
  if (/[+#\0]/.test(topic)) return 'a topic with a wildcard or a NUL';
  return levelsFlaw(topic);
}

/** What is wrong with a filter. */
export function filterFlaw(filter: string): string | undefined {
  if (filter === '') return 'an empty filter';
  const levels = filter.split('/');
  if (filter.includes('\0') || levels.some((level) => level.length > 1 && /[+#]/.test(level)))
    return 'a wildcard beside other letters, or a NUL';
  if (levels.slice(0, -1).includes('#')) return 'a # that is not the last level';
  return levelsFlaw(filter);
}

function levelsFlaw(text: string): string | undefined {
  return text.split('/').length > maxLevels ? `more than ${maxLevels} levels` : undefined;
}

interface Node<Value> {
  readonly below: Map<string, Node<Value>>;
  value: Value | undefined;
}

/**
 * Filters of one client, each with a value. A match takes a few steps for each level, however many filters there are.
 */
export class FilterTree<Value> {
  readonly #root: Node<Value> = { below: new Map(), value: undefined };
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(filter: string): Value | undefined {
    let node: Node<Value> | undefined = this.#root;
    for (const level of filter.split('/')) node = node?.below.get(level);
    return node?.value;
  }

  set(filter: string, value: Value): void {
    let node = this.#root;
    for (const level of filter.split('/')) {
      let next = node.below.get(level);
      if (next === undefined) {
        next = { below: new Map(), value: undefined };
        node.below.set(level, next);
      }
      node = next;
    }
    if (node.value === undefined) this.#size++;
    node.value = value;
  }

  delete(filter: string): void {
    const path: [Node<Value>, string][] = [];
    let node: Node<Value> | undefined = this.#root;
    for (const level of filter.split('/')) {
      if (node === undefined) return;
      path.push([node, level]);
      node = node.below.get(level);
    }
    if (node?.value === undefined) return;
    node.value = undefined;
    this.#size--;
    for (const [above, level] of path.reverse()) {
      const below = above.below.get(level)!;
      if (below.value !== undefined || below.below.size > 0) return;
      above.below.delete(level);
    }
  }

  /**
   * The values of all filters that a topic matches. A wildcard at the first level matches no topic that begins with
   * $.
   */
  matches(topic: string): Value[] {
    const levels = topic.split('/');
    const found: Value[] = [];
    let nodes: Node<Value>[] = [this.#root];
    for (const [i, level] of levels.entries()) {
      const isHidden = i === 0 && level.startsWith('$');
      const next: Node<Value>[] = [];
      for (const { below } of nodes) {
        const rest = isHidden ? undefined : below.get('#')?.value;
        if (rest !== undefined) found.push(rest);
        const own = below.get(level);
        if (own !== undefined) next.push(own);
        const any = isHidden ? undefined : below.get('+');
        if (any !== undefined) next.push(any);
      }
      nodes = next;
    }
    for (const { value, below } of nodes) {
      if (value !== undefined) found.push(value);
      // `a/#` matches `a` too (section 4.7.1.2).
      const rest = below.get('#')?.value;
      if (rest !== undefined) found.push(rest);
    }
    return found;
  }
}
