import type { BinaryOperator, Expression, Node } from '../../../expression/syntax.ts';
import { param, type Sql, sql } from '../server/sql.ts';

/** Texts of statements stay far below what ClickHouse takes (256 KiB), though some functions name an operand several times. */
const maxPieces = 20_000;

/** Goes no further than this file. */
class NotInSql extends Error {}

/**
 * The value of an expression that has one operand and looks along no rows, as a Float64 that is the evaluator's bit for bit but for
 * which NaN it is. Undefined where ClickHouse would calculate it in another way: powers, angles, logarithms and the like come out
 * of libraries that differ in the last bit.
 *
 * @param operand a Float64 that is there in each row
 */
export function expressionSql({ root, parameters, lookBack }: Expression, operand: Sql): Sql | undefined {
  if (parameters.length !== 1 || lookBack !== undefined) return undefined;
  let pieces = 0;
  try {
    return write(root);
  } catch (error) {
    if (error instanceof NotInSql) return undefined;
    throw error;
  }

  function write(node: Node): Sql {
    if (++pieces > maxPieces) throw new NotInSql();
    switch (node.type) {
      case 'number':
        return constant(node.value);
      case 'parameter':
        return operand;
      case 'unary': {
        const x = write(node.operand);
        return node.operator === '-' ? sql`negate(${x})` : truth(sql`equals(${x}, 0)`);
      }
      case 'binary':
        return binary(node.operator, write(node.left), write(node.right));
      case 'choice':
        return sql`if(${isTrue(write(node.condition))}, ${write(node.whenTrue)}, ${write(node.whenFalse)})`;
      case 'call':
        return call(node);
      default:
        throw new NotInSql();
    }
  }

  function call({ name, args }: Extract<Node, { type: 'call' }>): Sql {
    switch (name) {
      case 'abs':
        return sql`abs(${write(args[0]!)})`;
      case 'sqrt':
        return sql`sqrt(${write(args[0]!)})`;
      case 'floor':
        return sql`floor(${write(args[0]!)})`;
      case 'ceil':
        return sql`ceil(${write(args[0]!)})`;
      case 'min':
      case 'max':
        return args.map(write).reduce((joined, next) => outermost(name, again(joined), again(next)));
      default:
        throw new NotInSql();
    }
  }

  /** What stands again counts again. */
  function again(x: Sql): Sql {
    pieces += 5 * x.texts.join('').length;
    if (pieces > maxPieces) throw new NotInSql();
    return x;
  }
}

/** The smaller or the larger one; NaN where one is, and of zeros the negative one is smaller. */
function outermost(name: 'min' | 'max', x: Sql, y: Sql): Sql {
  const isBefore = name === 'min' ? sql`less` : sql`greater`;
  return sql`multiIf(isNaN(${x}), nan, isNaN(${y}), nan, ${isBefore}(${x}, ${y}), ${x}, ${isBefore}(${y}, ${x}), ${y},
  ${isBefore}(divide(1, ${x}), 0), ${x}, ${y})`;
}

/** By its bits: a decimal text would have to be read back exactly. */
function constant(value: number): Sql {
  const bits = new BigUint64Array(Float64Array.of(value).buffer)[0]!;
  return sql`reinterpretAsFloat64(${param(bits, 'UInt64')})`;
}

function truth(condition: Sql): Sql {
  return sql`toFloat64(${condition})`;
}

function isTrue(x: Sql): Sql {
  return sql`notEquals(${x}, 0)`;
}

function binary(operator: BinaryOperator, x: Sql, y: Sql): Sql {
  switch (operator) {
    case '+':
      return sql`plus(${x}, ${y})`;
    case '-':
      return sql`minus(${x}, ${y})`;
    case '*':
      return sql`multiply(${x}, ${y})`;
    case '/':
      return sql`divide(${x}, ${y})`;
    case '==':
      return truth(sql`equals(${x}, ${y})`);
    case '!=':
      return truth(sql`notEquals(${x}, ${y})`);
    case '<':
      return truth(sql`less(${x}, ${y})`);
    case '<=':
      return truth(sql`lessOrEquals(${x}, ${y})`);
    case '>':
      return truth(sql`greater(${x}, ${y})`);
    case '>=':
      return truth(sql`greaterOrEquals(${x}, ${y})`);
    case '&&':
      return truth(sql`and(${isTrue(x)}, ${isTrue(y)})`);
    case '||':
      return truth(sql`or(${isTrue(x)}, ${isTrue(y)})`);
    default:
      throw new NotInSql();
  }
}
