import type { Outgoing } from './outgoing-queue.ts';
import type { Session } from './session.ts';
import { FilterTree } from './topic-filter.ts';

/** Who hears commands by a filter. */
type Hearers = Map<Session, 0 | 1>;

/** Whether a filter is for what is asked of nodes of Sparkplug, also of those that may only write. */
export function isOfCommands(filter: string): boolean {
  return /^spBv1\.0\/[^/#]+\/[ND]CMD(?:\/[^/]*){1,3}$/.test(filter);
}

/** Nodes of Sparkplug that hear what is asked of them. They get commands by these filters, and no values. */
export class Commands {
  readonly #byWorkspace = new Map<string, FilterTree<Hearers>>();
  readonly #filters = new Map<Session, Set<string>>();

  countOf(session: Session): number {
    return this.#filters.get(session)?.size ?? 0;
  }

  subscribe(session: Session, filter: string, qos: 0 | 1): void {
    let tree = this.#byWorkspace.get(session.workspace);
    if (tree === undefined) {
      tree = new FilterTree();
      this.#byWorkspace.set(session.workspace, tree);
    }
    let hearers = tree.get(filter);
    if (hearers === undefined) {
      hearers = new Map();
      tree.set(filter, hearers);
    }
    hearers.set(session, qos);
    const own = this.#filters.get(session) ?? new Set();
    this.#filters.set(session, own.add(filter));
  }

  /** False where there is none. */
  unsubscribe(session: Session, filter: string): boolean {
    const own = this.#filters.get(session);
    if (own === undefined || !own.delete(filter)) return false;
    if (own.size === 0) this.#filters.delete(session);
    const tree = this.#byWorkspace.get(session.workspace)!;
    const hearers = tree.get(filter)!;
    hearers.delete(session);
    if (hearers.size === 0) tree.delete(filter);
    if (tree.size === 0) this.#byWorkspace.delete(session.workspace);
    return true;
  }

  drop(session: Session): void {
    for (const filter of [...(this.#filters.get(session) ?? [])]) this.unsubscribe(session, filter);
  }

  /** Sends a command to all in the workspace that hear it. */
  route(workspace: string, message: Omit<Outgoing, 'qos'>): void {
    for (const hearers of this.#byWorkspace.get(workspace)?.matches(message.topic) ?? [])
      for (const [session, qos] of hearers) session.send({ ...message, qos });
  }
}
