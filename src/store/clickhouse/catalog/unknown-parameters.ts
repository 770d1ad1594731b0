import type { UnknownParameter } from '../../../domain/listing.ts';
import type { Kind, ParameterKey } from '../../../domain/parameter-data.ts';
import type { Selection } from '../../../query/plan/plan.ts';
import { searchNear } from '../../../wire/base/nearest-name.ts';
import { print } from '../server/sql.ts';
import type { Asking } from './catalog-settings.ts';
import { selectDefinedParameters, selectWrittenParameters } from './list-definitions.ts';
import type { StreamQuestion } from './select-streams.ts';

/** The most unknown parameters that are told. */
const mostTold = 4;
/** The most names that are compared. */
const mostCompared = 1000;
/** The most parameters that are remembered to be there: a query that comes again costs nothing. */
const mostKnown = 4096;
/** The longest key of a selection that is remembered; larger ones are asked anew. */
const longestKey = 1000;

type Streams = Pick<Selection, 'streamIds' | 'topic'>;

/** Finds the parameters of queries that no selected stream has data of, or a definition. */
export function parameterSearch() {
  /** Once found they count as there, also where they are deleted later: then there is no warning. */
  const known = new Set<string>();

  return async (
    asking: Asking,
    question: StreamQuestion,
    { streamIds, topic }: Streams,
    keys: readonly ParameterKey[],
  ): Promise<UnknownParameter[]> => {
    const scope = { streamIds, topic };
    const selected = JSON.stringify([question.workspace, scope]);
    const isShort = selected.length <= longestKey;
    const keyOf = ({ kind, name }: ParameterKey) => `${selected} ${kind} ${name}`;
    const asked = isShort ? keys.filter((key) => !known.has(keyOf(key))) : keys;
    if (asked.length === 0) return [];
    const written = async (names: readonly string[] | undefined, most: number): Promise<ParameterKey[]> => {
      const statement = selectWrittenParameters(question, scope, names, most);
      const found = await asking.rows<[string, number]>(print(statement));
      return found.map(([name, kind]) => ({ name, kind: kind as Kind }));
    };
    const names = [...new Set(asked.map(({ name }) => name))];
    const found = new Set((await written(names, 4 * names.length)).map(keyOf));
    if (isShort) for (const key of found) known.add(key);
    for (const key of known) {
      if (known.size <= mostKnown) break;
      known.delete(key);
    }
    const unwritten = asked.filter((key) => !found.has(keyOf(key)));
    if (unwritten.length === 0) return [];
    const ids = unwritten.map(({ name }) => name);
    const defined = await asking.rows<[string]>(print(selectDefinedParameters(question, scope, ids)));
    const isDefined = new Set(defined.map(([id]) => id));
    const left = unwritten.filter(({ name }) => !isDefined.has(name)).slice(0, mostTold);
    if (left.length === 0) return [];
    const others = await written(undefined, mostCompared);
    return left.map((key) => ({ key, nearest: nearestOf(key, others) }));
  };
}

function nearestOf({ name }: ParameterKey, others: readonly ParameterKey[]): ParameterKey | undefined {
  const search = searchNear(name);
  let nearest: ParameterKey | undefined;
  for (const other of others) {
    const distance = search.distanceTo(other.name);
    if (distance === undefined) continue;
    nearest = other;
    search.take(distance, other.name);
  }
  return nearest;
}
