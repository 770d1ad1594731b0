import { minTimestamp } from '../../../../src/domain/timestamp.ts';
import { isFlaw, parseExpression } from '../../../../src/expression/parse.ts';
import { interpret } from '../../../expression/reference.ts';

/** A row of numbers, by parameter. */
export interface PlainRow {
  /** Nanoseconds. */
  readonly time: bigint;
  /** Empty where it has none. */
  readonly tag: string;
  readonly values: Readonly<Record<string, number>>;
}

/** Expressions of calculated parameters by name. */
export type Definitions = ReadonlyMap<string, string>;

/** Values of an expression over all rows of a stream, in order. What is written of a name wins over what is calculated. */
export function valuesOf(
  text: string,
  definitions: Definitions,
  rows: readonly PlainRow[],
): (number | undefined)[] {
  const { root, parameters } = parsed(text);
  const columns = parameters.map((name) => {
    const definition = definitions.get(name);
    const made = definition === undefined ? undefined : valuesOf(definition, definitions, rows);
    return rows.map(({ values }, row) => values[name] ?? made?.[row]);
  });
  const given = rows.map(({ time }, row) => ({
    time,
    tags: {},
    values: columns.map((column) => column[row]),
  }));
  return interpret(root, given, minTimestamp);
}

/** An expression with the definitions that it uses, and those that they use. */
export function textsOf(text: string, definitions: Definitions): string[] {
  const used = parsed(text).parameters.flatMap((name) => definitions.get(name) ?? []);
  return [text, ...used.flatMap((definition) => textsOf(definition, definitions))];
}

export function operandsOf(texts: readonly string[]): Set<string> {
  return new Set(texts.flatMap((text) => parsed(text).parameters));
}

export function usesOver(texts: readonly string[]): boolean {
  return texts.some((text) => text.includes('over('));
}

export function looksAlong(texts: readonly string[]): boolean {
  return texts.some((text) =>
    /(previous|difference|derivative|integral|sum|fill|moving\w+|lowpass)\(/.test(text),
  );
}

function parsed(text: string) {
  const expression = parseExpression(text);
  if (isFlaw(expression)) throw new Error(`${text}: ${expression.message}`);
  return expression;
}
