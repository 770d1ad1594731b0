import type { TraceNames } from '../lines/traces.ts';
import { stable } from '../state/stable.ts';
import { plots, states } from '../state/view.ts';
import { areStates, namesOf } from './named-values.ts';
import { openParameters } from './parameters.ts';

/**
 * What is plotted, by what its values are. Undefined while nobody knows yet which of them are text, where the view has states: what
 * has none is drawn as numbers until then.
 */
export const plotted = stable<TraceNames | undefined>(() => {
  const names = [...new Set(plots.value.flat())];
  const isKnown = openParameters.value.value !== undefined;
  if (!isKnown && names.some((name) => states.value.includes(name))) return undefined;
  return {
    numbers: names.filter((name) => !isText(name)),
    texts: names.filter(isText),
  };
});

/** Whether a name is one of text alone: plots show the numbers where there are both. */
export function isText(name: string): boolean {
  const types = (openParameters.value.value ?? []).filter(({ id }) => id === name).map(({ type }) => type);
  return types.includes('String') && !types.includes('Numeric');
}

/** Whether a channel is drawn as states. */
export function isStates(name: string): boolean {
  return states.value.includes(name) || isText(name);
}

/** What is drawn as states when a channel is plotted, too: text has no other way, and numbers with names are states. */
export function statesWith(id: string): readonly string[] {
  const hasStates = isText(id) || areStates(namesOf(id));
  return hasStates && !states.value.includes(id) ? [...states.value, id] : states.value;
}

/** Of these, parameters with numbers. */
export const plottedNumbers = stable(() => plotted.value?.numbers ?? []);
