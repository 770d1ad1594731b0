import { Kind, type ParameterKey } from '../../domain/parameter-data.ts';
import type { TagFilter } from '../../domain/query.ts';
import { fault } from '../base/fault.ts';
import { checkName, maxNameBytes } from '../base/name.ts';
import { propertyNames } from '../base/property-names.ts';
import { type MemoryShare, queryLimits } from '../json/json-memory.ts';
import { emptyObject } from '../json/json-value.ts';
import { decodeBody } from '../json/value.ts';
import { defined, integer64, type Read, readFields, text } from './fields.ts';
import { strict } from './stream-change.ts';
import { tagFilter } from './tag-filter.ts';

/**
 * The body of a delete of rows (contract, section 4). It needs `from`, `to`, and `streamIds` or `topic`:
 *
 *   streamIds      [string, ...]     topic  string     both: the streams of that topic
 *   from, to       int64             ns, both inclusive
 *   numericParameters, stringParameters, binaryParameters   [{ parameterName: string }, ...]
 *                                    what the rows lose; all parameters without any of the three
 *   tagFilters     tag-filter.ts     all of them must hold
 *
 * Empty arrays and texts are refused: what they say is not what was meant.
 */
const deleteFields = propertyNames([
  'streamIds',
  'topic',
  'from',
  'to',
  'numericParameters',
  'stringParameters',
  'binaryParameters',
  'tagFilters',
]);
const parameterFields = propertyNames(['parameterName']);

export interface RowDeleteRequest {
  readonly streamIds?: readonly string[];
  readonly topic?: string;
  readonly from: bigint;
  readonly to: bigint;
  /** Absent: all parameters. */
  readonly parameters?: readonly ParameterKey[];
  readonly tagFilters?: readonly TagFilter[];
}

export function decodeRowDelete(body: Uint8Array, share?: MemoryShare): RowDeleteRequest {
  const fields = readFields(decodeBody(body, queryLimits, emptyObject, share), deleteFields, '');
  const streamIds = fields.get('streamIds', strict.listOf(strict.text));
  const topic = fields.get('topic', strict.text);
  if (streamIds === undefined && topic === undefined) {
    throw fault('missing_property', '', 'must say which streams, by streamIds or topic');
  }
  const from = fields.require('from', integer64);
  const to = fields.require('to', integer64);
  if (from > to) throw fault('invalid_value', 'from', `is after to: ${from} > ${to}`);
  const named = [
    fields.get('numericParameters', strict.listOf(parameter(Kind.Numeric))),
    fields.get('stringParameters', strict.listOf(parameter(Kind.String))),
    fields.get('binaryParameters', strict.listOf(parameter(Kind.Binary))),
  ].flatMap((list) => list ?? []);
  const tagFilters = fields.get('tagFilters', strict.listOf(tagFilter));
  return {
    from,
    to,
    ...defined({ streamIds, topic, parameters: named.length === 0 ? undefined : named, tagFilters }),
  };
}

function parameter(kind: Kind): Read<ParameterKey> {
  return (value, path) => {
    const fields = readFields(value, parameterFields, path);
    const name = fields.require('parameterName', (given, at) => checkName(text(given, at), at, maxNameBytes));
    return { kind, name };
  };
}
