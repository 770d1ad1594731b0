import { type Sql, sql } from '../server/sql.ts';

/**
 * A key that orders text by UTF-16 code unit, as JavaScript does. ClickHouse compares the bytes of UTF-8, which puts
 * characters beyond the Basic Multilingual Plane after U+E000 to U+FFFF; in UTF-16 they stand before. So those begin
 * with bytes that no UTF-8 has.
 */
export function inCodeUnits(text: Sql): Sql {
  return sql`replaceAll(replaceAll(${text}, '\\xEE', '\\xF5'), '\\xEF', '\\xF6')`;
}
