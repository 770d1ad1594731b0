import { Kind } from '../domain/parameter-data.ts';
import { aggregations, type ParameterDataQuery, type RequestedParameter } from '../domain/query.ts';
import { fault } from './fault.ts';
import { defined, integer64, integerFrom, listOf, oneOf, type Read, readFields, text } from './fields.ts';
import { checkName, maxNameBytes } from './name.ts';
import { propertyNames } from './property-names.ts';
import { decodeJson, type JsonValue } from './value.ts';

/**
 * The body of `/parameters/data` (contract, section 4). All fields are optional but one parameter is needed:
 *
 *   numericParameters, stringParameters, binaryParameters   [{ parameterName: string, aggregationType?: string }, ...]
 *   from, to       int64                  ns, both inclusive
 *   streamIds      [string, ...]          topic  string
 *   groupBy        [tag name, ...]        also the pseudo-tags streamId and topic
 *   limit          integer from 1         order  Asc | Desc in any case
 *   cursor         string                 from the header Pitwall-Next-Cursor
 *   tagFilters, groupByTime               refused with `not_supported` unless they are empty
 */
const queryFields = propertyNames([
  'numericParameters',
  'stringParameters',
  'binaryParameters',
  'from',
  'to',
  'streamIds',
  'topic',
  'tagFilters',
  'groupBy',
  'groupByTime',
  'limit',
  'order',
  'cursor',
]);
const parameterFields = propertyNames(['parameterName', 'aggregationType']);

export function decodeParameterDataQuery(body: Uint8Array): ParameterDataQuery {
  const fields = readFields(decodeJson(body), queryFields, '');
  const parameters = [
    fields.get('numericParameters', listOf(requested(Kind.Numeric))),
    fields.get('stringParameters', listOf(requested(Kind.String))),
    fields.get('binaryParameters', listOf(requested(Kind.Binary))),
  ].flatMap((list) => list ?? []);
  if (parameters.length === 0) {
    throw fault(
      'missing_property',
      '',
      'must name a parameter in numericParameters, stringParameters or binaryParameters',
    );
  }
  fields.get('tagFilters', emptyOnly('tag filters are'));
  fields.get('groupByTime', emptyOnly('grouping by time is'));
  const from = fields.get('from', integer64);
  const to = fields.get('to', integer64);
  if (from !== undefined && to !== undefined && from > to) {
    throw fault('invalid_value', 'from', `is after to: ${from} > ${to}`);
  }
  const groupBy = fields.get('groupBy', listOf(text));
  return {
    parameters,
    ...defined({
      from,
      to,
      streamIds: fields.get('streamIds', listOf(text)),
      topic: fields.get('topic', text),
      groupBy: groupBy === undefined ? undefined : [...new Set(groupBy)],
      limit: fields.get('limit', integerFrom(1)),
      order: fields.get('order', oneOf(['Asc', 'Desc'])),
      cursor: fields.get('cursor', text),
    }),
  };
}

function requested(kind: Kind): Read<RequestedParameter> {
  return (value, path) => {
    const fields = readFields(value, parameterFields, path);
    return {
      kind,
      name: fields.require('parameterName', (name, at) => checkName(text(name, at), at, maxNameBytes)),
      aggregation: fields.get('aggregationType', oneOf(aggregations)) ?? 'None',
    };
  };
}

/** A field that has no meaning yet: refused, so that no answer is other than what was asked for. */
function emptyOnly(what: string): Read<void> {
  return (value: JsonValue, path) => {
    const isEmpty = Array.isArray(value) ? value.length === 0 : value instanceof Map && value.size === 0;
    if (!isEmpty) throw fault('not_supported', path, `must be left out: ${what} not supported yet`);
  };
}
