export interface TagCondition {
  readonly tag: string;
  readonly operator: string;
  readonly value: string | number | readonly (string | number)[];
}

/**
 * Whether a row's tags meet every condition (contract, sections 4 and 9). Patterns here are such that a JavaScript
 * RegExp understands them like any other engine.
 *
 * Decided here: a tag reads as a number where it is one in decimal digits, with point and exponent if need be, so
 * neither the empty text nor `0x2` nor one with spaces; a number in Like is the pattern of its text.
 */
export function hasTags(tags: ReadonlyMap<string, string>, conditions: readonly TagCondition[]): boolean {
  return conditions.every(({ tag, operator, value }) => {
    const text = tags.get(tag);
    const values = Array.isArray(value)
      ? (value as readonly (string | number)[])
      : [value as string | number];
    switch (operator.toLowerCase()) {
      case 'equal':
        return text !== undefined && values.some((wanted) => isEqual(text, wanted));
      case 'notequal':
        return text === undefined || !values.some((wanted) => isEqual(text, wanted));
      case 'like':
        return text !== undefined && values.some((pattern) => new RegExp(String(pattern), 'u').test(text));
      default:
        return text === undefined || !values.some((pattern) => new RegExp(String(pattern), 'u').test(text));
    }
  });
}

function isEqual(text: string, wanted: string | number): boolean {
  if (typeof wanted === 'string') return text === wanted;
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) && Number(text) === wanted;
}
