import type { Ordering, Paging } from '../../domain/query.ts';
import { fault } from '../base/fault.ts';
import { excerpt } from '../base/name.ts';
import { nearest } from '../base/nearest.ts';
import { type PropertyNames, propertyNames } from '../base/property-names.ts';
import { integerFrom, oneOf, type Read, readFields, text } from './fields.ts';

/**
 * How an answer is ordered and cut into pages:
 *
 *   ordering   [{ by: one of the known fields, direction?: Asc | Desc in any case }, ...]
 *   paging     { index?: page number from 0, length: entries of a page from 1 }
 */
const orderingFields = propertyNames(['by', 'direction']);
const pagingFields = propertyNames(['index', 'length']);

/** An entry of `ordering` by one of the fields, which may stand in PascalCase too, or by `metadata.<key>` if allowed. */
export function orderingBy(fields: PropertyNames<string>, withMetadata: boolean): Read<Ordering> {
  const orderedField = fieldOf(fields, withMetadata);
  return (value, path) => {
    const given = readFields(value, orderingFields, path);
    return {
      by: given.require('by', orderedField),
      direction: given.get('direction', oneOf(['Asc', 'Desc'])) ?? 'Asc',
    };
  };
}

function fieldOf(fields: PropertyNames<string>, withMetadata: boolean): Read<string> {
  return (value, path) => {
    const by = text(value, path);
    const metadataKey = withMetadata ? /^metadata\.(.+)$/is.exec(by)?.[1] : undefined;
    if (metadataKey !== undefined) return `metadata.${metadataKey}`;
    const field = fields.bySpelling.get(by);
    if (field !== undefined) return field;
    const known = `${fields.known.join(', ')}${withMetadata ? ' or metadata.<key>' : ''}`;
    const message = `must be one of ${known}, not ${excerpt(by)}; the nearest is ${nearest(by, fields.known)}`;
    throw fault('invalid_value', path, message);
  };
}

export const paging: Read<Paging> = (value, path) => {
  const fields = readFields(value, pagingFields, path);
  return {
    index: fields.get('index', integerFrom(0)) ?? 0,
    length: fields.require('length', integerFrom(1)),
  };
};
