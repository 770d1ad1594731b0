import { mostValueNames, type ValueNames, valueNamesFrom } from '../../domain/definition.ts';
import { fault } from '../base/fault.ts';
import { memberPath } from '../json/json-value.ts';
import { object, type Read } from './fields.ts';

const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Names for numbers: an object of
 *
 *   "<finite number>": string      each number once, however it is written; at most 65,536
 *
 * Numbers are written as JSON writes them.
 */
export const readValueNames =
  (name: Read<string>): Read<ValueNames> =>
  (value, path) => {
    const found = new Map<number, string>();
    for (const [spelt, member] of object(value, path)) {
      const own = number.test(spelt) ? Number(spelt) : Number.NaN;
      const place = memberPath(path, spelt);
      if (!Number.isFinite(own))
        throw fault('invalid_value', place, 'must be called by a finite number, such as "0"');
      if (found.has(own)) throw fault('duplicate_property', place, 'is of a number that has a name already');
      if (found.size === mostValueNames)
        throw fault('invalid_value', path, `has more than ${mostValueNames} names of numbers`);
      found.set(own, name(member, place));
    }
    return valueNamesFrom(found);
  };
