import { fault } from '../base/fault.ts';
import { propertyNames } from '../base/property-names.ts';
import { type MemoryShare, queryLimits } from '../json/json-memory.ts';
import { decodeBody } from '../json/value.ts';
import { defined, type Fields, integer64, listOf, readFields, text } from './fields.ts';

/** Which rows are asked about tags: between two times (ns, both inclusive), of some streams. */
export interface TagNamesQuery {
  readonly from?: bigint;
  readonly to?: bigint;
  readonly streamIds?: readonly string[];
  readonly topic?: string;
}

export interface TagValuesQuery extends TagNamesQuery {
  readonly tag: string;
}

/**
 * The body of `/tags` (contract, section 10); nothing of it is needed:
 *
 *   from, to   int64            ns, both inclusive
 *   streamIds  [string, ...]    topic  string
 */
const selectionFields = ['from', 'to', 'streamIds', 'topic'] as const;
const namesFields = propertyNames(selectionFields);

/** The body of `/tags/values` (contract, section 4): the same, and `tag`, a string, which is needed. */
const valuesFields = propertyNames(['tag', ...selectionFields]);

export function decodeTagNamesQuery(body: Uint8Array, share?: MemoryShare): TagNamesQuery {
  return selectionOf(readFields(decodeBody(body, queryLimits, undefined, share), namesFields, ''));
}

export function decodeTagValuesQuery(body: Uint8Array, share?: MemoryShare): TagValuesQuery {
  const fields = readFields(decodeBody(body, queryLimits, undefined, share), valuesFields, '');
  return { tag: fields.require('tag', text), ...selectionOf(fields) };
}

function selectionOf(fields: Fields<(typeof selectionFields)[number]>): TagNamesQuery {
  const from = fields.get('from', integer64);
  const to = fields.get('to', integer64);
  if (from !== undefined && to !== undefined && from > to) {
    throw fault('invalid_value', 'from', `is after to: ${from} > ${to}`);
  }
  return defined({
    from,
    to,
    streamIds: fields.get('streamIds', listOf(text)),
    topic: fields.get('topic', text),
  });
}
