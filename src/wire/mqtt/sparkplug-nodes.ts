/** What a metric's birth says of it. */
export interface MetricBirth {
  readonly name: string;
  readonly type: number;
}

/** A node of a group, with its devices: they number their metrics together. */
interface Node {
  readonly aliases: Map<number, MetricBirth>;
  /** Types of metrics without a number, by stream and name. */
  readonly types: Map<string, number>;
}

/** Nodes that introduced themselves, of all workspaces; each has some KB. */
const mostNodes = 10_000;
/** Of one node. */
const mostMetrics = 100_000;

/**
 * What nodes of Sparkplug said of their metrics when they introduced themselves (its specification 3.0, section
 * 6.4.8). It is in memory only: a node whose birth was missed is asked for another.
 */
export class SparkplugNodes {
  readonly #nodes = new Map<string, Node>();

  /** The node begins anew. */
  born(workspace: string, group: string, node: string): void {
    const key = keyOf(workspace, group, node);
    this.#nodes.delete(key);
    if (this.#nodes.size >= mostNodes) this.#nodes.delete(this.#nodes.keys().next().value!);
    this.#nodes.set(key, { aliases: new Map(), types: new Map() });
  }

  /** Undefined where the node has not introduced itself. */
  find(workspace: string, group: string, node: string): Node | undefined {
    return this.#nodes.get(keyOf(workspace, group, node));
  }

  /** Takes the birth of a metric; false where the node has too many. */
  static learn(node: Node, stream: string, alias: number | undefined, birth: MetricBirth): boolean {
    if (node.aliases.size + node.types.size >= mostMetrics) return false;
    if (alias !== undefined) node.aliases.set(alias, birth);
    node.types.set(`${stream}\n${birth.name}`, birth.type);
    return true;
  }
}

function keyOf(workspace: string, group: string, node: string): string {
  return `${workspace}\n${group}\n${node}`;
}

export type SparkplugNode = Node;
