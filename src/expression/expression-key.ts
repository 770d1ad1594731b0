import type { Expression } from './syntax.ts';

/** Equal for expressions that say the same, with all definitions that are put in place. */
export function expressionKey({ root, parameters }: Expression): string {
  return JSON.stringify([root, parameters], (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}
