import { fault } from './fault.ts';
import { defined, integer64, listOf, readFields, text } from './fields.ts';
import { type MemoryShare, queryLimits } from './json-memory.ts';
import { propertyNames } from './property-names.ts';
import { decodeBody } from './value.ts';

/**
 * The body of `/tags/values` (contract, section 4); only the tag is needed:
 *
 *   tag        string
 *   from, to   int64            ns, both inclusive
 *   streamIds  [string, ...]    topic  string
 */
const queryFields = propertyNames(['tag', 'from', 'to', 'streamIds', 'topic']);

export interface TagValuesQuery {
  readonly tag: string;
  readonly from?: bigint;
  readonly to?: bigint;
  readonly streamIds?: readonly string[];
  readonly topic?: string;
}

export function decodeTagValuesQuery(body: Uint8Array, share?: MemoryShare): TagValuesQuery {
  const fields = readFields(decodeBody(body, queryLimits, undefined, share), queryFields, '');
  const tag = fields.require('tag', text);
  const from = fields.get('from', integer64);
  const to = fields.get('to', integer64);
  if (from !== undefined && to !== undefined && from > to) {
    throw fault('invalid_value', 'from', `is after to: ${from} > ${to}`);
  }
  return {
    tag,
    ...defined({
      from,
      to,
      streamIds: fields.get('streamIds', listOf(text)),
      topic: fields.get('topic', text),
    }),
  };
}
