import type { Alias } from './sparkplug-payload.ts';

/** What a metric's birth says of it. */
export interface MetricBirth {
  readonly name: string;
  readonly type: number;
}

/** A node of a group, with its devices: they number their metrics together. */
class Node {
  readonly workspace: Nodes;
  readonly aliases = new Map<Alias, MetricBirth>();
  /** Types of metrics, by stream and name. */
  readonly types = new Map<string, number>();
  bytes = 0;
  /** That of the message that came last. */
  #seq: number | undefined;

  constructor(workspace: Nodes) {
    this.workspace = workspace;
  }

  /** Takes the number of its next message; false where one is missing in between. The same again is a repeat. */
  follows(seq: number | undefined): boolean {
    const before = this.#seq;
    this.#seq = seq;
    return seq === undefined || before === undefined || seq === before || seq === (before + 1) % 256;
  }
}

/** Nodes of a workspace; the one that introduced itself longest ago is the first. */
interface Nodes {
  readonly nodes: Map<string, Node>;
  bytes: number;
}

/** The most bytes of what is known of all nodes; a workspace has half of it at most, a node a quarter of that. */
const mostBytes = 64 << 20;
const mostOfWorkspace = mostBytes / 2;
const mostOfNode = mostOfWorkspace / 4;
/** Entries of maps, and a node, beside their texts. */
const entryBytes = 150;

/**
 * What nodes of Sparkplug said of their metrics when they introduced themselves (its specification 3.0, section
 * 6.4.8). It is in memory only: a node whose birth was missed, or is forgotten for there are too many, is asked for
 * another.
 */
export class SparkplugNodes {
  readonly #workspaces = new Map<string, Nodes>();
  #bytes = 0;

  /** The node begins anew. */
  born(workspace: string, group: string, node: string): void {
    const own = this.#workspaces.get(workspace) ?? { nodes: new Map(), bytes: 0 };
    this.#workspaces.set(workspace, own);
    const key = keyOf(group, node);
    this.#forget(own, key);
    const born = new Node(own);
    own.nodes.set(key, born);
    this.#grow(born, entryBytes + 2 * key.length);
  }

  /** Undefined where the node has not introduced itself. */
  find(workspace: string, group: string, node: string): Node | undefined {
    return this.#workspaces.get(workspace)?.nodes.get(keyOf(group, node));
  }

  /** Takes the birth of a metric; false where the node has too many. */
  learn(node: Node, stream: string, alias: Alias | undefined, birth: MetricBirth): boolean {
    const name = `${stream}\n${birth.name}`;
    let bytes = node.types.has(name) ? 0 : entryBytes + 2 * name.length;
    if (alias !== undefined && !node.aliases.has(alias)) bytes += entryBytes + 2 * birth.name.length;
    if (node.bytes + bytes > mostOfNode) return false;
    if (alias !== undefined) node.aliases.set(alias, birth);
    node.types.set(name, birth.type);
    this.#grow(node, bytes);
    return true;
  }

  /** Others are forgotten where there is no room: of the workspace, or of the one that has most. */
  #grow(node: Node, bytes: number): void {
    const own = node.workspace;
    node.bytes += bytes;
    own.bytes += bytes;
    this.#bytes += bytes;
    while (own.bytes > mostOfWorkspace) this.#forgetOldest(own, node);
    while (this.#bytes > mostBytes) {
      const most = [...this.#workspaces.values()].reduce((a, b) => (b.bytes > a.bytes ? b : a));
      this.#forgetOldest(most, node);
    }
  }

  #forgetOldest(own: Nodes, but: Node): void {
    for (const [key, node] of own.nodes) {
      if (node === but) continue;
      this.#forget(own, key);
      return;
    }
  }

  #forget(own: Nodes, key: string): void {
    const { bytes = 0 } = own.nodes.get(key) ?? {};
    own.nodes.delete(key);
    own.bytes -= bytes;
    this.#bytes -= bytes;
  }
}

function keyOf(group: string, node: string): string {
  return `${group}\n${node}`;
}

export type SparkplugNode = Node;
