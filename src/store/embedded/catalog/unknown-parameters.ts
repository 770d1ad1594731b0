import type { ParameterDefinition } from '../../../domain/definition.ts';
import type { UnknownParameter } from '../../../domain/listing.ts';
import { Kind, type ParameterKey } from '../../../domain/parameter-data.ts';
import type { Selection } from '../../../query/plan/plan.ts';
import type { Steps } from '../../../turns/steps.ts';
import { searchNear } from '../../../wire/base/nearest-name.ts';
import { lowerBound } from '../parts/column-sets.ts';
import type { CatalogState, Parameter } from './catalog-state.ts';
import { streamsOfStep } from './one-moment.ts';
import { visibleParameters } from './retention.ts';
import { candidatesToRead, isShown } from './select-streams.ts';

/** The streams, or sets and names that were compared, after which it is left open: nothing is told then. */
const mostLooked = 100_000;
/** The most unknown parameters that are told. */
const mostTold = 4;
/** Names that are compared in one step: a millisecond, where all of them are long and alike. */
const namesOfStep = 64;

/**
 * Those of some parameters that no selected stream has data of, or a definition. As a rule the first stream that is looked
 * at has them all.
 */
export function* unknownParameters(
  state: CatalogState,
  workspace: string,
  { streamIds, topic }: Pick<Selection, 'streamIds' | 'topic'>,
  keys: readonly ParameterKey[],
): Steps<UnknownParameter[]> {
  // Not by their numbers: what is written meanwhile may give these another meaning.
  const sets = new Set<readonly number[]>();
  const lists = new Set<readonly ParameterDefinition[]>();
  let left = keys.slice(0, mostLooked >> 4);
  let looked = 0;
  for (const stream of candidatesToRead(state, workspace, streamIds, topic)) {
    if (++looked % streamsOfStep === 0) yield;
    if (looked > mostLooked) return [];
    if (!isShown(state, stream)) continue;
    lists.add(state.parameterDefinitions.of(stream));
    const set = state.sets.members(visibleParameters(state, stream));
    if (sets.has(set)) continue;
    sets.add(set);
    left = left.filter(({ kind, name }) => {
      const number = state.parametersByName[kind].get(name)?.number;
      return number === undefined || !hasNumber(set, number);
    });
    if (left.length === 0) return [];
    looked += left.length >> 4;
  }
  for (const list of lists) {
    yield;
    const ids = new Set(list.map(({ id }) => id));
    looked += ids.size >> 4;
    if (looked > mostLooked) return [];
    if (ids.size > 0) left = left.filter(({ name }) => !ids.has(name));
  }
  const told: UnknownParameter[] = [];
  for (const key of left.slice(0, mostTold)) told.push({ key, nearest: yield* nearestOf(state, sets, key) });
  return told;
}

/** The parameter of some sets whose name is nearest; one of the same name and another kind before all others. */
function* nearestOf(
  state: CatalogState,
  sets: ReadonlySet<readonly number[]>,
  { name }: ParameterKey,
): Steps<ParameterKey | undefined> {
  const search = searchNear(name);
  let found: Parameter | undefined;
  let looked = 0;
  for (let number = 1; number < state.parameters.length; number++) {
    if (number % namesOfStep === 0) yield;
    const parameter = state.parameters[number];
    if (parameter === undefined || parameter.kind === Kind.Event) continue;
    const distance = search.distanceTo(parameter.name);
    if (distance === undefined) continue;
    looked++;
    for (const set of sets) {
      if (++looked % streamsOfStep === 0) yield;
      if (looked > mostLooked) return found && keyOf(found);
      if (!hasNumber(set, number)) continue;
      found = parameter;
      search.take(distance, parameter.name);
      break;
    }
  }
  return found && keyOf(found);
}

function hasNumber(ascending: readonly number[], number: number): boolean {
  return ascending[lowerBound(ascending, number)] === number;
}

function keyOf({ kind, name }: ParameterKey): ParameterKey {
  return { kind, name };
}
