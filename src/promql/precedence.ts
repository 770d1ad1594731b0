import type { Binary, BinaryOperator, Expression, Unary } from './syntax.ts';

/** Which operators bind more: those with the larger number. A sign binds as much as `*`, before it. */
const binding: Readonly<Record<BinaryOperator, number>> = {
  or: 1,
  and: 2,
  unless: 2,
  '==': 3,
  '!=': 3,
  '>': 3,
  '<': 3,
  '>=': 3,
  '<=': 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
  '%': 5,
  atan2: 5,
  '^': 6,
};
const ofSign = 5;

type Operation = Omit<Binary, 'left' | 'right'>;
type Sign = Pick<Unary, 'operator'> & { readonly type: 'sign' };
type Token = Sign | Operation | Expression;

/**
 * Returns an expression of the same operands and operators in the same order, bound as in Prometheus. In the grammar an
 * offset ends what stands before it, so that `a + b offset 5m * c` would be a product, and a sign is a part of its
 * number, so that -2^2 would be 4.
 */
export function bound(expression: Binary | Unary): Expression {
  const tokens = tokensOf(expression);
  let at = 0;
  const operand = (): Expression => {
    const token = tokens[at++]!;
    if (token.type !== 'sign') return token as Expression;
    return { type: 'unary', operator: token.operator, of: climb(ofSign + 1) };
  };
  const climb = (least: number): Expression => {
    let left = operand();
    for (;;) {
      const operation = tokens[at] as Operation | undefined;
      if (operation === undefined || binding[operation.operator] < least) return left;
      at++;
      // Of `^` the right one comes first.
      const right = climb(binding[operation.operator] + (operation.operator === '^' ? 0 : 1));
      left = { ...operation, left, right };
    }
  };
  return climb(0);
}

function tokensOf(expression: Expression): Token[] {
  switch (expression.type) {
    case 'unary':
      return [{ type: 'sign', operator: expression.operator }, ...tokensOf(expression.of)];
    case 'binary': {
      const { left, right, ...operation } = expression;
      return [...tokensOf(left), operation, ...tokensOf(right)];
    }
    default:
      return [expression];
  }
}
