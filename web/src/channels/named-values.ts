import { effect } from '@preact/signals';
import { valueNames } from '../lines/value-names.ts';
import type { ChannelNames } from '../state/names-text.ts';
import { stable } from '../state/stable.ts';
import { names as chosenNames } from '../state/view.ts';
import { openParameters } from './parameters.ts';

/** Of each channel what its numbers are called: as the view says, or as its definition does. */
const allNames = stable(() => {
  const found = new Map<string, ChannelNames>();
  for (const { id, names } of openParameters.value.value ?? []) if (names !== undefined) found.set(id, names);
  for (const [id, names] of Object.entries(chosenNames.value)) found.set(id, names);
  return [...found];
});
effect(() => {
  const read = (names: ChannelNames) =>
    new Map(Object.entries(names).map(([number, name]) => [Number(number), name]));
  valueNames.value = new Map(
    allNames.value
      .filter(([, names]) => Object.keys(names).length > 0)
      .map(([id, names]) => [id, read(names)]),
  );
});

/** The names of a channel's numbers; undefined where there are none. */
export function namesOf(id: string): ChannelNames | undefined {
  return allNames.value.find(([own]) => own === id)?.[1];
}

/** Whether the names are those of states: two numbers or more have one, 0 or 1 among them. */
export function areStates(names: ChannelNames | undefined): boolean {
  const numbers = Object.keys(names ?? {});
  return numbers.length > 1 && (numbers.includes('0') || numbers.includes('1'));
}
