import type { TraceNames } from '../lines/traces.ts';
import { stable } from '../state/stable.ts';
import { plots, states } from '../state/view.ts';
import { openParameters } from './parameters.ts';

/** What is plotted, by what its values are. Undefined while nobody knows yet which of them are text. */
export const plotted = stable<TraceNames | undefined>(() => {
  const names = [...new Set(plots.value.flat())];
  if (!names.some((name) => states.value.includes(name))) return { numbers: names, texts: [] };
  const known = openParameters.value.value;
  if (known === undefined) return undefined;
  const isText = (name: string) => {
    const types = known.filter(({ id }) => id === name).map(({ type }) => type);
    return states.value.includes(name) && types.includes('String') && !types.includes('Numeric');
  };
  return {
    numbers: names.filter((name) => !isText(name)),
    texts: names.filter(isText),
  };
});

/** What is drawn as states when a channel is plotted, too: text has no other way. */
export function statesWith(id: string): readonly string[] {
  const types = (openParameters.value.value ?? []).filter((own) => own.id === id).map(({ type }) => type);
  const isNew = types.includes('String') && !types.includes('Numeric') && !states.value.includes(id);
  return isNew ? [...states.value, id] : states.value;
}

/** Of these, parameters with numbers. */
export const plottedNumbers = stable(() => plotted.value?.numbers ?? []);
