import type { Document } from '../domain/document.ts';
import type { UnknownParameter } from '../domain/listing.ts';
import { Kind, type ParameterKey } from '../domain/parameter-data.ts';
import type { Selection } from '../query/plan/plan.ts';
import type { Listings } from '../store/store.ts';
import { excerpt } from '../wire/base/name.ts';

/** As people call them. */
const kindNames: Readonly<Record<Kind, string>> = {
  [Kind.Numeric]: 'numeric parameter',
  [Kind.String]: 'string parameter',
  [Kind.Binary]: 'binary parameter',
  [Kind.Event]: 'event',
};

/**
 * What to warn of where a query names parameters that no selected stream has; undefined where there is nothing. Never
 * rejects: a query is answered whatever becomes of it.
 *
 * @param kept calculated parameters: their names need not be written by any stream
 */
export function unknownParametersWarning(
  catalog: Pick<Listings, 'unknownParameters'>,
  plan: Pick<Selection, 'workspace' | 'streamIds' | 'topic'> & {
    readonly parameters: readonly ParameterKey[];
  },
  kept: readonly Document[],
  signal: AbortSignal,
): string | undefined | Promise<string | undefined> {
  const unknown = catalog.unknownParameters(plan.workspace, plan, withoutKept(plan.parameters, kept), signal);
  if (!(unknown instanceof Promise)) return textOf(unknown);
  return unknown.then(textOf).catch(() => undefined);
}

/**
 * What to warn of where a delete names parameters that no selected stream has: there is nothing of them to delete. It is asked
 * for before they are deleted. Never rejects.
 *
 * @param kept calculated parameters, which have no rows but those that were written under their name
 */
export async function undeletableWarning(
  catalog: Pick<Listings, 'unknownParameters'>,
  { workspace, ...streams }: Pick<Selection, 'workspace' | 'streamIds' | 'topic'>,
  parameters: readonly ParameterKey[],
  kept: readonly Document[],
  signal: AbortSignal,
): Promise<string | undefined> {
  if (parameters.length === 0) return undefined;
  const calculated = parameters.filter(
    ({ kind, name }) => kind === Kind.Numeric && kept.some(({ id }) => id === name),
  );
  const others = parameters.filter((key) => !calculated.includes(key));
  const unknownOf = async (keys: readonly ParameterKey[]) =>
    keys.length === 0 ? [] : catalog.unknownParameters(workspace, streams, keys, signal);
  try {
    const [unknown, unwritten] = await Promise.all([unknownOf(others), unknownOf(calculated)]);
    const sentences = unwritten.map(
      ({ key }) => `${excerpt(key.name)} is a calculated parameter: it has no rows to delete.`,
    );
    return [...sentences, ...unknown.map(sentenceOf)].join(' ') || undefined;
  } catch {
    return undefined;
  }
}

function withoutKept(
  parameters: readonly ParameterKey[],
  kept: readonly Document[],
): readonly ParameterKey[] {
  if (kept.length === 0) return parameters;
  const wanted = new Set(parameters.map(({ name }) => name));
  const names = new Set<string>();
  for (const { id } of kept) if (wanted.has(id)) names.add(id);
  return parameters.filter(({ kind, name }) => kind !== Kind.Numeric || !names.has(name));
}

function textOf(unknown: readonly UnknownParameter[]): string | undefined {
  return unknown.length === 0 ? undefined : unknown.map(sentenceOf).join(' ');
}

function sentenceOf({ key, nearest }: UnknownParameter): string {
  const start = `No selected stream has the ${kindNames[key.kind]} ${excerpt(key.name)}`;
  if (nearest === undefined) return `${start}.`;
  const kind = nearest.kind === key.kind ? '' : `the ${kindNames[nearest.kind]} `;
  return `${start}; the nearest is ${kind}${excerpt(nearest.name)}.`;
}
