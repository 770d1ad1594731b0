import type { CompiledRule } from '../../alerts/compiled-rule.ts';
import type { OperandRows } from '../../alerts/operand-rows.ts';
import { isoOf, type LeftOut, nanoseconds } from '../../alerts/rows-ahead.ts';
import { type AlertState, alertEventId, type StoredRule } from '../../domain/alert.ts';
import type { DefinitionChange, EventDefinition } from '../../domain/definition.ts';
import type { EventRow } from '../../domain/event-data.ts';
import { isPresent } from '../../domain/parameter-data.ts';
import { tagSet } from '../../domain/tags.ts';

/** Values of the parameters of a rule at a row; those without one are left out. */
export type RuleValues = Readonly<Record<string, number | string>>;

const tagsOf = {
  firing: tagSet([['state', 'firing']]),
  resolved: tagSet([['state', 'resolved']]),
  ahead: tagSet([['state', 'ahead']]),
} as const;

/**
 * The event of a change. Its identity follows from rule, stream, time and state, so that it stands once however often it is
 * written. Its value is JSON: `{"values": {parameter: number}}`, or `{"noData": true}` where rows stopped coming.
 */
export function alertEvent(
  { rule }: Pick<StoredRule, 'rule'>,
  state: AlertState,
  timestamp: bigint,
  values: RuleValues | undefined,
): EventRow {
  const value = JSON.stringify(values === undefined ? { noData: true } : { values });
  return { id: alertEventId(rule.name), timestamp, value, tags: tagsOf[state] };
}

/** Makes the event of a row that a rule left out: at the time at which it came (ms). */
export function aheadEvent(rule: CompiledRule, { rows, row, time }: LeftOut, cameAt: number): EventRow {
  return {
    id: alertEventId(rule.rule.name),
    timestamp: nanoseconds(cameAt),
    value: JSON.stringify({ rowTime: isoOf(time), values: valuesAt(rule, rows, row) }),
    tags: tagsOf.ahead,
  };
}

export function valuesAt({ operands }: CompiledRule, rows: OperandRows, row: number): RuleValues {
  const values: Record<string, number | string> = {};
  for (const name of operands) {
    const column = rows.columns.get(name);
    if (column === undefined || !isPresent(column.present, row)) continue;
    const value = column.values[row]!;
    // A name may be `__proto__`.
    Object.defineProperty(values, name, {
      value: Number.isFinite(value) ? value : String(value),
      enumerable: true,
    });
  }
  return values;
}

/**
 * Makes the definition of the events of a rule, for those who list events. What an earlier wording had, and this one has
 * not, is taken away.
 */
export function alertDefinition({ rule }: Pick<StoredRule, 'rule'>): DefinitionChange<EventDefinition> {
  const { name, level = null, text = null } = rule;
  return { id: alertEventId(name), name, description: text, level };
}
