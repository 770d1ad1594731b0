import { type TagFilter, tagOperators } from '../../domain/query.ts';
import { fault } from '../base/fault.ts';
import { propertyNames } from '../base/property-names.ts';
import { describeValue, type JsonValue } from '../json/json-value.ts';
import { oneOf, type Read, readFields, text } from './fields.ts';

/**
 * One entry of `tagFilters` (contract, section 4):
 *
 *   { tag: string, operator?: Equal | NotEqual | Like | NotLike in any case (Equal without it),
 *     value: string | number | [string | number, at least one, ...] }
 *
 * Patterns are not checked here: who compiles them does.
 */
const filterFields = propertyNames(['tag', 'operator', 'value']);

export const tagFilter: Read<TagFilter> = (value, path) => {
  const fields = readFields(value, filterFields, path);
  return {
    tag: fields.require('tag', text),
    operator: fields.get('operator', oneOf(tagOperators)) ?? 'Equal',
    values: fields.require('value', values),
  };
};

const values: Read<readonly (string | number)[]> = (value, path) => {
  if (!Array.isArray(value)) return [scalar(value, path)];
  const elements = value as readonly JsonValue[];
  if (elements.length === 0) throw fault('invalid_value', path, 'must have at least one value');
  return elements.map((element, i) => scalar(element, `${path}[${i}]`));
};

const scalar: Read<string | number> = (value, path) => {
  if (typeof value === 'string') return value;
  if (value === null || typeof value !== 'object' || !('text' in value)) {
    throw fault(
      'wrong_type',
      path,
      `must be a string, a number or an array of these, not ${describeValue(value)}`,
    );
  }
  // A double can't tell longer integers from their neighbours; their digits can.
  const isLongInteger = !Number.isSafeInteger(value.value) && /^-?[0-9]+$/.test(value.text);
  return isLongInteger ? value.text : value.value;
};
