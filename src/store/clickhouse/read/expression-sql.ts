import type { RowFunction } from '../../../expression/row-functions.ts';
import type { BinaryOperator, Expression, Node } from '../../../expression/syntax.ts';
import { bitsOf, every, name, param, print, type Sql, sql } from '../server/sql.ts';

/** An expression of a row, on the columns that `operandColumn` and `hasColumn` name. */
export interface RowSql {
  /** A Float64; it means nothing in rows without a value. */
  readonly value: Sql;
  /** Whether a row has a value; undefined where that needs all operands, and no more. */
  readonly isThere: Sql | undefined;
}

/** A Float64: the value of a parameter of an expression. */
export function operandColumn(parameter: number): Sql {
  return name(`operand_${parameter}`);
}

/** A UInt8: whether a row has a value of the parameter. */
export function hasColumn(parameter: number): Sql {
  return name(`has_${parameter}`);
}

/**
 * The most pieces of an expression: texts of statements stay far below what ClickHouse takes (256 KiB), though some
 * functions name an operand several times.
 */
const maxPieces = 20_000;

/** Goes no further than this file. */
class NotInSql extends Error {}

/** A value, and what has to hold for it to be there; each condition by its text. */
interface Written {
  readonly value: Sql;
  readonly needs: ReadonlyMap<string, Sql>;
}

/**
 * An expression that looks along no rows, with the evaluator's values bit for bit but for which NaN it is. Undefined where
 * ClickHouse would calculate it in another way: most powers, angles, logarithms and the like come out of libraries that
 * differ in the last bit, and its remainder is rounded.
 */
export function expressionSql({ root, parameters, lookBack }: Expression): RowSql | undefined {
  if (lookBack !== undefined) return undefined;
  try {
    const { value, needs } = new ExpressionWriter().write(root);
    const all = parameters.every((_, i) => needs.has(textOf(hasColumn(i))));
    return {
      value,
      isThere: all && needs.size === parameters.length ? undefined : every([...needs.values()]),
    };
  } catch (error) {
    if (error instanceof NotInSql) return undefined;
    throw error;
  }
}

/** Writes one expression, as long as its text is not too long. */
class ExpressionWriter {
  /** About how long the text is so far. */
  #pieces = 0;

  /** Throws NotInSql. */
  write(node: Node): Written {
    if (++this.#pieces > maxPieces) throw new NotInSql();
    switch (node.type) {
      case 'number':
        return { value: constant(node.value), needs: new Map() };
      case 'parameter':
        return { value: operandColumn(node.parameter), needs: needing([hasColumn(node.parameter)]) };
      case 'unary': {
        const { value: x, needs } = this.write(node.operand);
        return { value: node.operator === '-' ? sql`negate(${x})` : truth(sql`equals(${x}, 0)`), needs };
      }
      case 'binary':
        if (node.operator === '^') return this.#power(this.write(node.left), numberOf(node.right));
        return joined([this.write(node.left), this.write(node.right)], (x, y) =>
          binary(node.operator, x!, y!),
        );
      case 'choice':
        return this.#choice(
          this.write(node.condition),
          this.write(node.whenTrue),
          this.write(node.whenFalse),
        );
      case 'defined': {
        const definition = this.write(node.definition);
        const has = hasColumn(node.written);
        const value = sql`if(${has}, ${operandColumn(node.written)}, ${definition.value})`;
        return { value, needs: needing([sql`(${has} OR ${this.#again(allOf(definition))})`]) };
      }
      case 'call':
        return joined(
          node.args.map((arg) => this.write(arg)),
          (...args) => this.#call(node.name, args),
        );
      default:
        throw new NotInSql();
    }
  }

  /** What is not chosen may be missing. */
  #choice(condition: Written, yes: Written, no: Written): Written {
    const asked = isTrue(condition.value);
    const needs = new Map(condition.needs);
    const own = (one: Written, other: Written) =>
      [...one.needs].filter(([text]) => !other.needs.has(text)).map(([, need]) => need);
    for (const [text, need] of yes.needs) if (no.needs.has(text)) needs.set(text, need);
    const [ofYes, ofNo] = [own(yes, no), own(no, yes)];
    if (ofYes.length + ofNo.length > 0) {
      const chosen = sql`if(${this.#again(asked)}, ${this.#again(every(ofYes))}, ${this.#again(every(ofNo))})`;
      needs.set(textOf(chosen), chosen);
    }
    return { value: sql`if(${asked}, ${yes.value}, ${no.value})`, needs };
  }

  #call(of: RowFunction, args: readonly Sql[]): Sql {
    const [x] = args as [Sql];
    switch (of) {
      case 'abs':
        return sql`abs(${x})`;
      case 'sqrt':
        return sql`sqrt(${x})`;
      case 'floor':
        return sql`floor(${x})`;
      case 'ceil':
        return sql`ceil(${x})`;
      case 'sign':
        return sql`multiIf(greater(${this.#again(x)}, 0), 1, less(${this.#again(x)}, 0), -1, ${x})`;
      case 'round': {
        // Halves away from zero; a half added first would round 0.49999999999999994 up.
        const whole = sql`trunc(${this.#again(x)})`;
        const isUp = sql`greaterOrEquals(abs(minus(${x}, ${this.#again(whole)})), 0.5)`;
        return sql`if(${isUp}, plus(${this.#again(whole)}, sign(${this.#again(x)})), ${whole})`;
      }
      case 'min':
      case 'max':
        return args.reduce((one, next) => outermost(of, this.#again(one), this.#again(next)));
      case 'clamp':
        return outermost(
          'min',
          this.#again(outermost('max', this.#again(x), this.#again(args[1]!))),
          this.#again(args[2]!),
        );
      default:
        throw new NotInSql();
    }
  }

  /** Powers that JavaScript takes without a library: these are roundings of the exact value. */
  #power({ value: x, needs }: Written, exponent: number | undefined): Written {
    switch (exponent) {
      case 2:
        return { value: sql`multiply(${this.#again(x)}, ${x})`, needs };
      case 1:
        return { value: x, needs };
      case -1:
        return { value: sql`divide(1, ${x})`, needs };
      default:
        throw new NotInSql();
    }
  }

  /** What stands again counts again. */
  #again(x: Sql): Sql {
    this.#pieces += 5 * x.texts.join('').length;
    if (this.#pieces > maxPieces) throw new NotInSql();
    return x;
  }
}

function joined(parts: readonly Written[], value: (...values: Sql[]) => Sql): Written {
  return {
    value: value(...parts.map((part) => part.value)),
    needs: new Map(parts.flatMap(({ needs }) => [...needs])),
  };
}

function needing(conditions: readonly Sql[]): Map<string, Sql> {
  return new Map(conditions.map((condition) => [textOf(condition), condition]));
}

function allOf({ needs }: Written): Sql {
  return every([...needs.values()]);
}

/** Two with the same text and parameters are the same. */
function textOf(condition: Sql): string {
  const { text, params } = print(condition);
  return `${text} ${Object.values(params).join()}`;
}

function numberOf(node: Node): number | undefined {
  if (node.type === 'number') return node.value;
  if (node.type === 'unary' && node.operator === '-' && node.operand.type === 'number')
    return -node.operand.value;
  return undefined;
}

/** The smaller or the larger one; NaN where one is, and of zeros the negative one is smaller. */
function outermost(of: 'min' | 'max', x: Sql, y: Sql): Sql {
  const isBefore = of === 'min' ? sql`less` : sql`greater`;
  return sql`multiIf(isNaN(${x}), nan, isNaN(${y}), nan, ${isBefore}(${x}, ${y}), ${x}, ${isBefore}(${y}, ${x}), ${y},
  ${isBefore}(divide(1, ${x}), 0), ${x}, ${y})`;
}

function constant(value: number): Sql {
  return sql`reinterpretAsFloat64(${param(bitsOf(value), 'UInt64')})`;
}

function truth(condition: Sql): Sql {
  return sql`toFloat64(${condition})`;
}

function isTrue(x: Sql): Sql {
  return sql`notEquals(${x}, 0)`;
}

const functionsOf: Partial<Record<BinaryOperator, readonly [name: Sql, isTruth: boolean]>> = {
  '+': [sql`plus`, false],
  '-': [sql`minus`, false],
  '*': [sql`multiply`, false],
  '/': [sql`divide`, false],
  '==': [sql`equals`, true],
  '!=': [sql`notEquals`, true],
  '<': [sql`less`, true],
  '<=': [sql`lessOrEquals`, true],
  '>': [sql`greater`, true],
  '>=': [sql`greaterOrEquals`, true],
};

function binary(operator: BinaryOperator, x: Sql, y: Sql): Sql {
  if (operator === '&&') return truth(sql`and(${isTrue(x)}, ${isTrue(y)})`);
  if (operator === '||') return truth(sql`or(${isTrue(x)}, ${isTrue(y)})`);
  const found = functionsOf[operator];
  if (found === undefined) throw new NotInSql();
  const [of, isTruth] = found;
  const applied = sql`${of}(${x}, ${y})`;
  return isTruth ? truth(applied) : applied;
}
