import type { AlertState } from '../../domain/alert.ts';
import { foldTopic } from '../../domain/topic.ts';
import { fault } from '../base/fault.ts';
import { propertyNames } from '../base/property-names.ts';
import { type MemoryShare, queryLimits } from '../json/json-memory.ts';
import { emptyObject } from '../json/json-value.ts';
import { decodeBody } from '../json/value.ts';
import { defined, integer64, listOf, readFields, text } from './fields.ts';

/**
 * The body of a rule's `test`:
 *
 *   streamIds  [string, ...]  needed
 *   from, to   int64          ns, both inclusive
 *
 * and of `/alerts`, where an empty one means `{}`:
 *
 *   topic      string         topics, streamIds, names  [string, ...]
 */
const testFields = propertyNames(['streamIds', 'from', 'to']);
const filterFields = propertyNames(['topic', 'topics', 'streamIds', 'names']);

export interface AlertTest {
  readonly streamIds: readonly string[];
  readonly from?: bigint;
  readonly to?: bigint;
}

export function decodeAlertTest(body: Uint8Array, share?: MemoryShare): AlertTest {
  const fields = readFields(decodeBody(body, queryLimits, undefined, share), testFields, '');
  const streamIds = fields.require('streamIds', listOf(text));
  if (streamIds === undefined) throw fault('missing_property', 'streamIds', 'is missing');
  const from = fields.get('from', integer64);
  const to = fields.get('to', integer64);
  if (from !== undefined && to !== undefined && from > to) {
    throw fault('invalid_value', 'from', `is after to: ${from} > ${to}`);
  }
  return { streamIds, ...defined({ from, to }) };
}

/** Which alerts are asked for; an absent field selects all. */
export interface AlertFilter {
  /** Folded. */
  readonly topics?: ReadonlySet<string>;
  readonly streamIds?: ReadonlySet<string>;
  readonly names?: ReadonlySet<string>;
}

export function decodeAlertFilter(body: Uint8Array, share?: MemoryShare): AlertFilter {
  const fields = readFields(decodeBody(body, queryLimits, emptyObject, share), filterFields, '');
  const texts = listOf(text);
  const topic = fields.get('topic', text);
  const topics = fields.get('topics', texts)?.map(foldTopic);
  const streamIds = fields.get('streamIds', texts);
  const names = fields.get('names', texts);
  const both =
    topic === undefined ? topics : (topics ?? [foldTopic(topic)]).filter((one) => one === foldTopic(topic));
  return defined({
    topics: both && new Set(both),
    streamIds: streamIds && new Set(streamIds),
    names: names && new Set(names),
  });
}

/** An entry of an answer: of what a rule said, or of what fires. */
export interface AlertEntry {
  readonly topic?: string;
  readonly name?: string;
  readonly streamId?: string;
  readonly state: AlertState | 'failed';
  /** Nanoseconds. */
  readonly timestamp?: bigint;
  readonly [other: string]: unknown;
}

export function alertEntriesJson(entries: readonly AlertEntry[], int64AsString: boolean): string {
  const texts = entries.map(({ timestamp, ...others }) => {
    const json = JSON.stringify(others);
    if (timestamp === undefined) return json;
    const digits = int64AsString ? `"${timestamp}"` : String(timestamp);
    return `${json.slice(0, -1)},"timestamp":${digits}}`;
  });
  return `[${texts.join(',')}]`;
}
