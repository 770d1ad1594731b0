import { mostElements } from '../mcap/place.ts';
import { spelledNumbers } from '../tables/numbers.ts';
import { TableFault } from '../tables/table-fault.ts';
import type { Cell } from '../tables/table-source.ts';
import { isNumberCell, type JsonObject, type JsonValue } from './parse-json.ts';

/** Takes the cells of a row: names of what it is part of are those outside of it. */
type Take = (name: string, cell: Cell, within: readonly string[]) => void;

/**
 * Gives the cells of a row object, each with its name: a field inside of an object has a dot before it, an element of a short
 * array its number (`pos.x`, `wheels[0]`). Throws a TableFault for a longer array.
 * @param skip names that are left out with all inside of them
 */
export function flattenRow(row: JsonObject, number: number, skip: ReadonlySet<string>, take: Take): void {
  const visit = (name: string, value: JsonValue, within: readonly string[]): void => {
    if (typeof value === 'string') take(name, spelled.get(value) ?? value, within);
    else if (value === null || isNumberCell(value)) take(name, value, within);
    else if (typeof value === 'boolean') take(name, value ? 1 : 0, within);
    else if (skip.has(name)) take(name, null, within);
    else if (value instanceof Map) {
      if (value.size === 0) take(name, null, within);
      for (const [field, one] of value as JsonObject) visit(`${name}.${field}`, one, [...within, name]);
    } else {
      const elements = value as readonly JsonValue[];
      if (elements.length > mostElements) {
        throw new TableFault(
          `row ${number}, column ${name} is an array of ${elements.length} elements, and ${mostElements} are read at most; --skip leaves the column out`,
        );
      }
      if (elements.length === 0) take(name, null, within);
      for (const [i, one] of elements.entries()) visit(`${name}[${i}]`, one, [...within, name]);
    }
  };
  for (const [name, value] of row) visit(name, value, outermost);
}

const outermost: readonly string[] = [];

/** Strings that stand for doubles are numbers here. */
const spelled: ReadonlyMap<string, Cell> = new Map([...spelledNumbers].map((text) => [text, Number(text)]));
