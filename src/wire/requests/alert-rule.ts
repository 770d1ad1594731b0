import {
  type AlertRule,
  maxForNs,
  type RuleFilter,
  ruleFilterFields,
  type StoredRule,
} from '../../domain/alert.ts';
import { eventLevels } from '../../domain/definition.ts';
import { durationOf } from '../../expression/duration.ts';
import { looksAhead } from '../../expression/look-ahead.ts';
import { isFlaw, parseExpression } from '../../expression/parse.ts';
import { fault } from '../base/fault.ts';
import { excerpt } from '../base/name.ts';
import { propertyNames } from '../base/property-names.ts';
import { type MemoryShare, settingsLimits } from '../json/json-memory.ts';
import { decodeBody } from '../json/value.ts';
import { defined, listOf, oneOf, type Read, readFields, text, textWithin } from './fields.ts';
import { readSelection, selectionNames } from './stream-filter.ts';
import { webhook } from './webhook.ts';

/**
 * An alert rule (contract, section 10):
 *
 *   expression  string  of rows, also along them, but without `over`
 *   for         string  a duration (`5s`), 100 days at most; 0 without it
 *   clear       string  like `expression`
 *   noDataFor   string  a duration from a second to a year
 *   streams     the fields of `/streams` in `ruleFilterFields`
 *   level       of an event, in any case
 *   text        string, 4 KiB at most
 *   webhook     see webhook.ts
 */
const ruleFields = propertyNames([
  'expression',
  'for',
  'clear',
  'noDataFor',
  'streams',
  'level',
  'text',
  'webhook',
]);
const filterNames = propertyNames([...selectionNames, 'ordering', 'paging', 'locationDeepSearch']);

const maxTextBytes = 4096;
const oneSecond = 1_000_000_000n;

/** Decodes the rule in the body of a request. */
export function decodeAlertRule(name: string, body: Uint8Array, share?: MemoryShare): AlertRule {
  return ruleOf(name, decodeBody(body, settingsLimits, undefined, share), '');
}

type Value = Parameters<Read<unknown>>[0];

function ruleOf(name: string, value: Value, path: string): AlertRule {
  const fields = readFields(value, ruleFields, path);
  const forNs = fields.get('for', lengthUpTo(maxForNs, '100 days'));
  return {
    name,
    expression: fields.require('expression', rowExpression),
    forNs: forNs ?? 0n,
    ...defined({
      clear: fields.get('clear', rowExpression),
      noDataForNs: fields.get('noDataFor', silence),
      streams: fields.get('streams', ruleFilter),
      level: fields.get('level', oneOf(eventLevels)),
      text: fields.get('text', textWithin(maxTextBytes)),
      webhook: fields.get('webhook', webhook),
    }),
  };
}

/** Positions are told from 1 on. */
const rowExpression: Read<string> = (value, path) => {
  const given = text(value, path);
  const parsed = parseExpression(given);
  if (isFlaw(parsed)) {
    throw fault('bad_expression', path, `at character ${parsed.position + 1}: ${parsed.message}`);
  }
  if (parsed.parameters.length === 0) {
    const message = 'at character 1: expected the name of a parameter somewhere, and there is none';
    throw fault('bad_expression', path, message);
  }
  if (parsed.tags.length > 0) {
    const message = "has 'over': a rule goes along all rows of a stream, whatever their tags";
    throw fault('not_supported', path, message);
  }
  if (looksAhead(parsed.root)) {
    const message =
      'has smooth: a rule looks at each row when it comes, and the rows behind are not there yet';
    throw fault('not_supported', path, message);
  }
  return given;
};

const lengthUpTo =
  (most: bigint, spelt: string): Read<bigint> =>
  (value, path) => {
    const given = text(value, path);
    const length = durationOf(given);
    if (length !== undefined && length <= most) return length;
    const message = `must be a time like 5s, 0.5s or 2m, ${spelt} at most, not ${excerpt(given)}`;
    throw fault('invalid_value', path, message);
  };

const silence: Read<bigint> = (value, path) => {
  const length = lengthUpTo(366n * 86_400n * oneSecond, '366 days')(value, path);
  if (length >= oneSecond) return length;
  throw fault('invalid_value', path, 'must be at least 1s: the service looks once a second');
};

const ruleFilter: Read<RuleFilter> = (value, path) => {
  const fields = readFields(value, filterNames, path);
  for (const name of [...selectionNames, 'ordering', 'paging'] as const) {
    if ((ruleFilterFields as readonly string[]).includes(name)) continue;
    fields.get(name, (_, at) => {
      const known = ruleFilterFields.join(', ');
      throw fault('not_supported', at, `has no meaning in a rule; streams are chosen by ${known}`);
    });
  }
  return readSelection(fields, { text, listOf });
};

/** Returns a rule as it stands in answers: the fields of the request, with `name`. */
export function alertRuleJson(rule: AlertRule): Record<string, unknown> {
  return { name: rule.name, ...requestOf(rule) };
}

function requestOf(rule: AlertRule) {
  const { expression, forNs, clear, noDataForNs, streams, level, text: told, webhook: called } = rule;
  return {
    expression,
    ...(forNs > 0n && { for: durationText(forNs) }),
    ...(clear !== undefined && { clear }),
    ...(noDataForNs !== undefined && { noDataFor: durationText(noDataForNs) }),
    ...(streams !== undefined && { streams }),
    ...(level !== undefined && { level }),
    ...(told !== undefined && { text: told }),
    ...(called !== undefined && { webhook: called }),
  };
}

const units = [
  ['d', 86_400n * oneSecond],
  ['h', 3600n * oneSecond],
  ['m', 60n * oneSecond],
  ['s', oneSecond],
  ['ms', 1_000_000n],
  ['us', 1000n],
  ['ns', 1n],
] as const;

/** In the largest unit that it is a whole number of. */
function durationText(length: bigint): string {
  const [unit, size] = units.find(([, each]) => length % each === 0n)!;
  return `${length / size}${unit}`;
}

/** Whether two rules say the same. */
export function isSameRule(one: AlertRule, other: AlertRule): boolean {
  return JSON.stringify(alertRuleJson(one)) === JSON.stringify(alertRuleJson(other));
}

/**
 * The body of the kept document of kind `alert`: `{rule, made, revision}`, the rule as in domain/alert.ts, times in ns as
 * strings of digits.
 */
export function storedRuleBody(kept: StoredRule): string {
  return JSON.stringify(kept, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/** A rule that was checked when it was kept; throws where it is none. Whether its expressions are known is not asked. */
export function decodeStoredRule(body: string): StoredRule {
  const { rule, made, revision } = JSON.parse(body) as StoredBody;
  const { forNs, noDataForNs, ...others } = rule;
  return {
    rule: {
      ...others,
      forNs: BigInt(forNs),
      ...(noDataForNs !== undefined && { noDataForNs: BigInt(noDataForNs) }),
    },
    made,
    revision,
  };
}

interface StoredBody extends Pick<StoredRule, 'made' | 'revision'> {
  readonly rule: Omit<AlertRule, 'forNs' | 'noDataForNs'> & {
    readonly forNs: string;
    readonly noDataForNs?: string;
  };
}
