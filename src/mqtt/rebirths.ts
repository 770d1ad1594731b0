import { message } from '../protobuf/wire-writer.ts';

/** A node is asked once in so long. */
const pauseMs = 5000;
const mostRemembered = 10_000;

/** What asks a node of Sparkplug to introduce itself again (Sparkplug 3.0, section 6.4.21), and how often. */
export class Rebirths {
  readonly #askedAt = new Map<string, number>();
  readonly #now: () => number;

  /** @param now milliseconds, from any origin */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The message to be sent; undefined where the node was asked a moment ago. */
  ask(workspace: string, group: string, node: string): { topic: string; payload: Buffer } | undefined {
    const key = `${workspace}\n${group}\n${node}`;
    const now = this.#now();
    const before = this.#askedAt.get(key);
    if (before !== undefined && now - before < pauseMs) return undefined;
    if (this.#askedAt.size >= mostRemembered) this.#askedAt.clear();
    this.#askedAt.set(key, now);
    const boolean = 11;
    const metric = message([
      [1, 'Node Control/Rebirth'],
      [4, boolean],
      [14, 1],
    ]);
    const payload = message([
      [1, Date.now()],
      [2, metric],
    ]);
    return { topic: `spBv1.0/${group}/NCMD/${node}`, payload };
  }
}
