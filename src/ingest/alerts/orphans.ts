import { madeOfBody, namedByStateId } from '../../alerts/stored-state.ts';
import type { Document } from '../../domain/document.ts';
import type { CatalogWriter } from '../../store/store.ts';
import { nextTurn } from '../../turns/rest.ts';
import { decodeStoredRule } from '../../wire/requests/alert-rule.ts';
import { forgetState, type RuleStates, type StateName } from './rule-states.ts';

/** States that are looked at between two turns of the event loop. */
const statesAtOnce = 1000;

/** States that are forgotten in one record. */
const forgottenAtOnce = 500;

export interface OrphansOptions {
  readonly store: CatalogWriter;
  readonly states: Pick<RuleStates, 'get'>;
}

/**
 * Forgets states of rules that are gone, or made again since, and of streams that were removed for good: they mean nothing, and
 * take the room of others.
 */
export async function forgetOrphans(
  { store, states }: OrphansOptions,
  workspace: string,
  ofTopic?: string,
): Promise<void> {
  const { catalog } = store;
  const known = new WeakMap<Document, number | undefined>();

  /** When the rule of a state was made; NaN for none, undefined for one that this version does not understand. */
  const madeNow = ({ topic, rule }: StateName): number | undefined => {
    const item = catalog.document(workspace, 'alert', topic, rule);
    if (item === undefined) return Number.NaN;
    if (!known.has(item)) known.set(item, madeOf(item));
    return known.get(item);
  };

  /** @param made when the rule was made that the state is of */
  const isOrphan = (name: StateName, made: number | undefined): boolean => {
    const now = madeNow(name);
    if (made === undefined || Number.isNaN(made) || now === undefined) return false;
    return made !== now || catalog.isNew(workspace, name.topic, name.streamId) === true;
  };

  const found: StateName[] = [];
  let seen = 0;
  for (const { topic = '', id, body } of catalog.eachDocument(workspace, 'alertState', ofTopic)) {
    if (++seen % statesAtOnce === 0) await nextTurn();
    const name = { workspace, topic, ...namedByStateId(id) };
    if (isOrphan(name, madeOfBody(body))) found.push(name);
  }
  for (let from = 0; from < found.length; from += forgottenAtOnce) {
    await catalog.refresh();
    // A rule or a stream that came into being again meanwhile has states of the same names.
    const some = found
      .slice(from, from + forgottenAtOnce)
      .filter((name) => isOrphan(name, states.get(name)?.made));
    if (some.length === 0 || catalog.workspace(workspace) === undefined) continue;
    await store.append({ workspace, changes: some.map(forgetState) });
  }
}

function madeOf({ body }: Document): number | undefined {
  try {
    return decodeStoredRule(body).made;
  } catch {
    return undefined;
  }
}
