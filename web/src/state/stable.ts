import { computed, type ReadonlySignal } from '@preact/signals';

/** A computed signal of plain data that changes only when the data does, and not with every new copy of the same. */
export function stable<Value>(compute: () => Value): ReadonlySignal<Value> {
  let kept: { readonly value: Value; readonly text: string } | undefined;
  return computed(() => {
    const value = compute();
    const text = JSON.stringify([value], (_name, member: unknown) =>
      typeof member === 'bigint' ? `${member}n` : member,
    );
    if (kept?.text !== text) kept = { value, text };
    return kept.value;
  });
}
