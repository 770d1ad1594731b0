import { badData } from './query-error.ts';
import { type Signature, signatures, typeNames, type ValueType } from './signatures.ts';
import {
  type Aggregate,
  type Binary,
  type Call,
  type Expression,
  isComparison,
  isSetOperator,
} from './syntax.ts';

/** Returns the type of an expression. Throws `bad_data` where it cannot give anything, in Prometheus' words. */
export function checkTypes(expression: Expression): ValueType {
  switch (expression.type) {
    case 'number':
      return 'scalar';
    case 'string':
      return 'string';
    case 'vector':
      return 'vector';
    case 'matrix':
      return 'matrix';
    case 'paren':
      return checkTypes(expression.of);
    case 'subquery': {
      const type = checkTypes(expression.of);
      if (type !== 'vector')
        throw fault(`subquery is only allowed on instant vector, got ${typeNames[type]} instead`);
      return 'matrix';
    }
    case 'unary': {
      const type = checkTypes(expression.of);
      if (type === 'vector' || type === 'scalar') return type;
      const allowed = 'unary expression only allowed on expressions of type scalar or instant vector';
      throw fault(`${allowed}, got ${JSON.stringify(typeNames[type])}`);
    }
    case 'binary':
      return checkBinary(expression);
    case 'aggregate':
      return checkAggregate(expression);
    case 'call':
      return checkCall(expression);
  }
}

function fault(message: string): Error {
  return badData(`parse error: ${message}`);
}

function expect(expression: Expression, wanted: ValueType, where: string): void {
  const type = checkTypes(expression);
  if (type !== wanted) throw fault(`expected type ${typeNames[wanted]} in ${where}, got ${typeNames[type]}`);
}

function checkBinary({ operator, left, right, bool, matching }: Binary): ValueType {
  const types = [checkTypes(left), checkTypes(right)];
  if (bool && !isComparison(operator)) throw fault('bool modifier can only be used on comparison operators');
  if (types.some((type) => type !== 'scalar' && type !== 'vector')) {
    throw fault('binary expression must contain only scalar and instant vector types');
  }
  const isOfScalars = types.every((type) => type === 'scalar');
  if (isOfScalars && isComparison(operator) && !bool) {
    throw fault('comparisons between scalars must use BOOL modifier');
  }
  if (types.includes('scalar')) {
    if (isSetOperator(operator)) {
      throw fault(`set operator ${JSON.stringify(operator)} not allowed in binary scalar expression`);
    }
    if (matching !== undefined && matching.labels.length > 0) {
      throw fault('vector matching only allowed between instant vectors');
    }
  }
  return isOfScalars ? 'scalar' : 'vector';
}

function checkAggregate({ operator, of, parameter }: Aggregate): ValueType {
  expect(of, 'vector', 'aggregation expression');
  if (parameter === undefined) return 'vector';
  expect(parameter, operator === 'count_values' ? 'string' : 'scalar', 'aggregation parameter');
  return 'vector';
}

function checkCall({ name, args }: Call): ValueType {
  const known = signatures.get(name);
  if (known === undefined) throw fault(`unknown function with name ${JSON.stringify(name)}`);
  checkCount(name, args.length, known);
  args.forEach((arg, i) => {
    const wanted = known.args[Math.min(i, known.args.length - 1)]!;
    expect(arg, wanted, `call to function ${JSON.stringify(name)}`);
  });
  return known.gives;
}

function checkCount(name: string, count: number, { args, optional }: Signature): void {
  const least = args.length - Math.abs(optional);
  const quoted = JSON.stringify(name);
  if (optional === 0 && count !== least) {
    throw fault(`expected ${least} argument(s) in call to ${quoted}, got ${count}`);
  }
  if (count < least) throw fault(`expected at least ${least} argument(s) in call to ${quoted}, got ${count}`);
  if (optional > 0 && count > args.length) {
    throw fault(`expected at most ${args.length} argument(s) in call to ${quoted}, got ${count}`);
  }
}
