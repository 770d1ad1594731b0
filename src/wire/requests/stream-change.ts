import type { StreamFilter } from '../../domain/query.ts';
import { fault } from '../base/fault.ts';
import { propertyNames } from '../base/property-names.ts';
import { type MemoryShare, queryLimits } from '../json/json-memory.ts';
import { emptyObject } from '../json/json-value.ts';
import { decodeBody } from '../json/value.ts';
import { type Fields, flag, listOf, type Read, readFields, text } from './fields.ts';
import { readSelection, type SelectionReads, selectionNames } from './stream-filter.ts';

/**
 * The bodies of deletes and restores of streams: the fields of `/streams` that say which streams
 * (stream-filter.ts), and for a delete
 *
 *   hardDelete   boolean   for good; false without it
 *
 * What could widen the selection by mistake is refused: empty arrays and texts, fields that have a meaning for answers
 * only, and a filter that selects nothing in particular.
 */
const answerNames = ['ordering', 'paging', 'locationDeepSearch'] as const;
const deleteFields = propertyNames([...selectionNames, ...answerNames, 'hardDelete']);
const restoreFields = propertyNames([...selectionNames, ...answerNames]);

export interface StreamDelete {
  readonly filter: StreamFilter;
  readonly hard: boolean;
}

export function decodeStreamDelete(body: Uint8Array, share?: MemoryShare): StreamDelete {
  const fields = readFields(decodeBody(body, queryLimits, emptyObject, share), deleteFields, '');
  return { filter: strictSelection(fields), hard: fields.get('hardDelete', flag) ?? false };
}

export function decodeStreamRestore(body: Uint8Array, share?: MemoryShare): StreamFilter {
  return strictSelection(readFields(decodeBody(body, queryLimits, emptyObject, share), restoreFields, ''));
}

type SelectionName = (typeof selectionNames)[number];

/** Leaving streams of some status out selects nothing by itself. */
const selecting = selectionNames.filter((name) => name !== 'excludeStatuses');

function strictSelection(fields: Fields<SelectionName | (typeof answerNames)[number]>): StreamFilter {
  for (const name of answerNames) fields.get(name, meaningless);
  const filter = readSelection(fields, strict);
  if (filter.search?.trim() === '') throw fault('invalid_value', 'search', 'must have a word');
  if (selecting.some((name) => filter[name] !== undefined)) return filter;
  throw fault('missing_property', '', `must say which streams, by at least one of ${selecting.join(', ')}`);
}

const meaningless: Read<never> = (_value, path) => {
  throw fault('invalid_value', path, 'has no meaning here: all streams that the filter selects are meant');
};

const nonEmptyText: Read<string> = (value, path) => {
  const given = text(value, path);
  if (given !== '') return given;
  throw fault('invalid_value', path, 'must not be empty');
};

/** Refuses what is empty, as all deletes do. */
export const strict: SelectionReads = {
  text: nonEmptyText,
  listOf: (read) => (value, path) => {
    const list = listOf(read)(value, path);
    if (list === undefined) throw fault('invalid_value', path, 'must not be empty');
    return list;
  },
};
