import type { ManifestChange } from '../manifest/manifest.ts';
import type { CatalogState } from './catalog-state.ts';

/**
 * Names of parameters go when no stream has values of them any more: when the streams or their workspace are gone, or the
 * rows by deletes or retention. Their numbers are not used again, for rows in parts may still carry them.
 *
 * A name that no stream has may stand in a record that is on its way, which says the number alone. So it is noted at one
 * flush, with the last record that was drafted by then, and goes at a flush of that record, if none has used it since.
 *
 * @param draftedLsn the last record that was drafted
 */
export function forgetParameters(
  state: CatalogState,
  flushedLsn: number,
  draftedLsn: number,
): ForgottenParameters {
  const { unused, forgotten } = state.parameterUse;
  // What a damaged catalogue does not show may have any name.
  if (state.unreadable.size === 0) {
    for (const [number, since] of unused) {
      if (state.sets.uses(number) > 0) unused.delete(number);
      else if (since === undefined) {
        unused.set(number, draftedLsn);
        // A record that is drafted and has no place yet may have the name, and will come after that one.
        state.lostNumbers.count++;
      } else if (since <= flushedLsn) forget(state, number);
    }
  }
  const numbers = [...forgotten];
  return {
    changes: numbers.map((number) => ({ table: 'parameters', key: number, value: undefined })),
    done() {
      for (const number of numbers) forgotten.delete(number);
    },
  };
}

/** Names that went, to be committed together with the LSN reached: no record after it has their numbers. */
export interface ForgottenParameters {
  readonly changes: readonly ManifestChange[];
  /** To be called when the changes are on disk. */
  done(): void;
}

function forget(state: CatalogState, number: number): void {
  const { unused, forgotten } = state.parameterUse;
  unused.delete(number);
  const parameter = state.parameters[number];
  if (parameter === undefined) return;
  const names = state.parametersByName[parameter.kind];
  if (names.get(parameter.name) === parameter) names.delete(parameter.name);
  state.parameters[number] = undefined;
  state.dirty.parameters.delete(number);
  if (parameter.persisted) forgotten.add(number);
}
