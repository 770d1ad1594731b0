import type { Steps } from '../../turns/steps.ts';
import { fault } from '../base/fault.ts';
import type { JsonLimits, MemoryShare } from '../json/json-memory.ts';
import type { JsonValue } from '../json/json-value.ts';
import { isRounded } from '../json/rounded-numbers.ts';
import { bodySteps } from '../json/value.ts';
import { isNumber, MessageFields, wrong } from '../otlp/json-values.ts';
import type { SeriesRead } from '../series/series-read.ts';
import { type CollectdRules, CollectdValues, collectdTime } from './values.ts';

/**
 * JSON of collectd's plugin write_http (its documentation, "JSON"): an array of
 *
 *   { "values": [1901474177, null], "dstypes": ["counter", …], "dsnames": ["value", …], "time": 1280959128.123, "interval": 10,
 *     "host": "…", "plugin": "…", "plugin_instance": "…", "type": "…", "type_instance": "…", "meta": … }
 *
 * null is no value. Notifications, which have no values, are told of and not taken.
 */
const jsonLimits: JsonLimits = {
  maxBytes: 8 * 1024 * 1024,
  maxValueBytes: 192 * 1024 * 1024,
  what: 'a body of collectd in JSON',
};

/** Value lists of a step. */
const stepLists = 64;

/** Throws as `decodeBody`, and `wrong_type` for what is no such array; what is wrong with single lists is counted. */
export function* collectdJsonSteps(
  body: Uint8Array,
  rules: CollectdRules,
  share?: MemoryShare,
): Steps<SeriesRead> {
  const value = yield* bodySteps(body, jsonLimits, share);
  const lists = new CollectdValues(rules, share);
  if (!Array.isArray(value)) throw wrong(value ?? null, '', 'an array');
  for (const [i, element] of (value as readonly JsonValue[]).entries()) {
    readList(new MessageFields(element, `[${i}]`), lists);
    if ((i + 1) % stepLists === 0) yield;
  }
  return yield* lists.read();
}

function readList(fields: MessageFields, lists: CollectdValues): void {
  if (!fields.has('values')) {
    lists.refused.add('not_supported', 1, `${fields.pathOf('')} has no values: notifications are not taken`);
    return;
  }
  const text = (name: string): string => fields.text(name) ?? '';
  const path = fields.pathOf('values');
  lists.take({
    host: text('host'),
    plugin: text('plugin'),
    pluginInstance: text('plugin_instance'),
    type: text('type'),
    typeInstance: text('type_instance'),
    names: textsOf(fields, 'dsnames'),
    kinds: textsOf(fields, 'dstypes'),
    time: timeOf(fields),
    values: fields.list('values').map((value, i) => {
      if (value === null) return undefined;
      if (!isNumber(value)) throw wrong(value, `${path}[${i}]`, 'a number or null');
      if (isRounded(value.text, value.value)) lists.noteRounded(value.text);
      return value.value;
    }),
  });
}

function textsOf(fields: MessageFields, name: string): string[] {
  return fields.list(name).map((value, i) => {
    if (typeof value === 'string') return value;
    throw wrong(value, `${fields.pathOf(name)}[${i}]`, 'a string');
  });
}

function timeOf(fields: MessageFields) {
  const number = fields.number('time');
  if (number === undefined) return undefined;
  const time = collectdTime(number.text) ?? collectdTime(number.value.toFixed(3));
  if (time === undefined)
    throw fault('invalid_value', fields.pathOf('time'), 'must be seconds since the Unix epoch');
  return time;
}
