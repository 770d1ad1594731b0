import { RE2JS } from 're2js';
import type { TagFilter } from '../../../domain/query.ts';
import { inCodeUnits } from '../catalog/text-order.ts';
import { bitsOf, every, literal, param, type Sql, some, sql } from '../server/sql.ts';

/**
 * Tags as SQL. The column `tags` holds the canonical text of a tag set: the JSON array of its pairs, as
 * `JSON.stringify` prints it, so that equal sets are equal texts and each value has one spelling. What stands here
 * takes texts of it apart with functions that ClickHouse runs once per distinct set of a block, not once per row.
 */

/** The JSON of a tag's value, with its quotes; empty where a row does not have the tag. */
export function tagLiteral(tag: string): Sql {
  return sql`extract(tags, ${param(literalPattern(tag), 'String')})`;
}

/** A text in JSON, without its quotes. */
const inQuotes = String.raw`(?:[^"\\]|\\.)*`;

/** Reads pair by pair from the start, so that nothing inside a name or a value is taken for a tag. */
function literalPattern(tag: string): string {
  const pairs = String.raw`(?:\["${inQuotes}","${inQuotes}"\],)*`;
  return String.raw`^\[${pairs}\[${RE2JS.quote(JSON.stringify(tag))},("${inQuotes}")\]`;
}

/** The pairs of a tag set: of each the JSON of its name and of its value, with their quotes. */
export function tagPairs(): Sql {
  return sql`extractAllGroupsVertical(toString(tags), ${literal(`\\[("${inQuotes}"),("${inQuotes}")\\]`)})`;
}

/** What src/query/plan/tag-predicate.ts says of each filter, on the column `tags`. */
export function tagConditions(filters: readonly TagFilter[]): Sql[] {
  return filters.map(({ tag, operator, values }) => {
    const value = tagLiteral(tag);
    const matches =
      operator === 'Equal' || operator === 'NotEqual' ? equalsAny(value, values) : likeAny(value, values);
    const has = sql`${value} != '' AND (${matches})`;
    return operator === 'Equal' || operator === 'Like' ? has : sql`NOT (${has})`;
  });
}

/** Decimal notation, as in src/query/plan/tag-predicate.ts. */
const isNumber = String.raw`^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$`;

function equalsAny(value: Sql, values: readonly (string | number)[]): Sql {
  const literals = values.filter((value) => typeof value === 'string').map((text) => JSON.stringify(text));
  const numbers = values.filter((value) => typeof value === 'number');
  const conditions: Sql[] = [];
  if (literals.length > 0) conditions.push(sql`${value} IN ${param(literals, 'Array(String)')}`);
  if (numbers.length > 0) {
    const plain = plainText(value);
    const wanted = sql`arrayMap(bits -> reinterpretAsFloat64(bits), ${param(numbers.map(bitsOf), 'Array(UInt64)')})`;
    conditions.push(
      sql`match(${plain}, ${param(isNumber, 'String')}) AND has(${wanted}, toFloat64OrZero(${plain}))`,
    );
  }
  return some(conditions);
}

/** What stands between the quotes of a literal. */
function plainText(text: Sql): Sql {
  return sql`extract(${text}, '(?s)^"(.*)"$')`;
}

function likeAny(value: Sql, values: readonly (string | number)[]): Sql {
  // ClickHouse lets a point match a line feed; the embedded store's engine, like RE2 by itself, does not.
  const patterns = values.map((wanted) =>
    param(`(?-s)${typeof wanted === 'number' ? RE2JS.quote(String(wanted)) : wanted}`, 'String'),
  );
  const matches = (text: Sql) => some(patterns.map((pattern) => sql`match(${text}, ${pattern})`));
  const isEscaped = sql`position(${value}, '\\\\') > 0`;
  // Few texts have escapes, and only those have to be parsed.
  return some([
    every([sql`NOT ${isEscaped}`, matches(plainText(value))]),
    every([isEscaped, matches(sql`JSONExtractString(${value})`)]),
  ]);
}

/**
 * A text per tag set whose order is that of `compareTagSets`: names and values one after another, each after a NUL,
 * with escapes taken back. Characters below space, which would come before what ends a text, are a U+0001 and the
 * two hex digits of their code.
 */
export function tagOrder(): Sql {
  // Quotes become U+0004 and U+0005, which JSON has only escaped.
  const marked = sql`replaceRegexpAll(replaceRegexpOne(tags, ${literal(String.raw`^\[\]$`)}, ''), ${literal(`"(${inQuotes})"`)}, ${literal('\u0004\\1\u0005')})`;
  const steps: readonly (readonly [from: string, to: string])[] = [
    ['\u0005],[\u0004', '\u0000'],
    ['\u0005,\u0004', '\u0000'],
    ['[[\u0004', ''],
    ['\u0005]]', ''],
    // An escaped backslash stands aside, so that what follows it is taken for what it is.
    ['\\\\', '\u0002'],
    ['\\"', '"'],
    ['\\u00', '\u0001'],
    ['\\b', '\u000108'],
    ['\\t', '\u000109'],
    ['\\n', '\u00010a'],
    ['\\f', '\u00010c'],
    ['\\r', '\u00010d'],
    ['\u0002', '\\'],
  ];
  return inCodeUnits(
    steps.reduce((text, [from, to]) => sql`replaceAll(${text}, ${literal(from)}, ${literal(to)})`, marked),
  );
}
