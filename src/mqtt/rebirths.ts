import { message } from '../protobuf/wire-writer.ts';

/** The shortest time between two requests of rebirth to one node. */
const pauseMs = 5000;
const mostRemembered = 10_000;
/** The most requests without an answer, one after the other: a connection may break by chance, too. */
const mostUnanswered = 3;
/** The most requests of rebirth in a second: after a restart all nodes have to introduce themselves. */
const mostOfSecond = 50;

/** What asks a node of Sparkplug to introduce itself again (Sparkplug 3.0, section 6.4.21), and how often. */
export class Rebirths {
  readonly #askedAt = new Map<string, number>();
  readonly #now: () => number;
  /** When it began, and how many were asked in it. */
  #second = Number.NEGATIVE_INFINITY;
  #ofSecond = 0;

  readonly #onOff: () => void;
  #isOff = false;
  #unanswered = 0;

  /**
   * @param now milliseconds, from any origin
   * @param onOff nobody is asked any more, for a broker does not have it
   */
  constructor(now: () => number, onOff: () => void = () => undefined) {
    this.#now = now;
    this.#onOff = onOff;
  }

  /** The broker has taken what a node is asked. */
  answered(): void {
    this.#unanswered = 0;
  }

  /** The broker does not have it. */
  refused(): void {
    if (this.#isOff) return;
    this.#isOff = true;
    this.#onOff();
  }

  /** The connection ended instead: some brokers answer so to what is not allowed. */
  unanswered(): void {
    if (++this.#unanswered >= mostUnanswered) this.refused();
  }

  /** The message to be sent; undefined where the node, or many others, were asked a moment ago. */
  ask(workspace: string, group: string, node: string): { topic: string; payload: Buffer } | undefined {
    const key = `${workspace}\n${group}\n${node}`;
    if (this.#isOff) return undefined;
    const now = this.#now();
    const before = this.#askedAt.get(key);
    if (before !== undefined && now - before < pauseMs) return undefined;
    if (now - this.#second >= 1000) {
      this.#second = now;
      this.#ofSecond = 0;
    }
    if (this.#ofSecond >= mostOfSecond) return undefined;
    this.#ofSecond++;
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
