import type { Document } from '../domain/document.ts';
import { definitionOf } from './definition.ts';
import type { Expression } from './syntax.ts';
import { cannotUnfold, unfold } from './unfold.ts';

/** The definitions that one topic keeps, each with those that it uses put in place. */
export interface TopicExpressions {
  readonly ids: readonly string[];
  /** Undefined where there is none, or none that can be evaluated. */
  of(id: string): Expression | undefined;
}

/** A listing is the same array until something changes. */
const known = new WeakMap<readonly Document[], TopicExpressions>();

/** @param items of one topic; the same array gives the same expressions */
export function topicExpressions(items: readonly Document[]): TopicExpressions {
  let found = known.get(items);
  if (found === undefined) {
    found = read(items);
    known.set(items, found);
  }
  return found;
}

function read(items: readonly Document[]): TopicExpressions {
  const byId = new Map(items.map((item) => [item.id, item]));
  const unfolded = new Map<string, Expression | undefined>();
  const parsedOf = (id: string): Expression | undefined => {
    const item = byId.get(id);
    return item && definitionOf(item)?.parsed;
  };
  return {
    ids: [...byId.keys()],
    of(id) {
      if (!unfolded.has(id)) {
        const parsed = parsedOf(id);
        const whole = parsed && unfold(parsed, parsedOf, id);
        unfolded.set(id, whole === undefined || cannotUnfold(whole) ? undefined : whole);
      }
      return unfolded.get(id);
    },
  };
}
