import { isFlaw, parseExpression } from '../../expression/parse.ts';
import type { Expression } from '../../expression/syntax.ts';
import { fault } from '../base/fault.ts';
import { type Read, text } from './fields.ts';

/** An expression that has at least one parameter. Throws `bad_expression`; positions are told from 1 on. */
export const expression: Read<Expression> = (value, path) => {
  const parsed = parseExpression(text(value, path));
  if (isFlaw(parsed))
    throw fault('bad_expression', path, `at character ${parsed.position + 1}: ${parsed.message}`);
  if (parsed.parameters.length > 0) return parsed;
  throw fault(
    'bad_expression',
    path,
    'at character 1: expected the name of a parameter somewhere, and there is none',
  );
};
