import { durationOf } from './duration.ts';
import { aheadInsideOver } from './look-ahead.ts';
import { lookBackOf } from './look-back.ts';
import { type RowFunction, rowFunctions } from './row-functions.ts';
import {
  type BinaryOperator,
  binaryLevels,
  type Expression,
  type ExpressionFlaw,
  type Node,
  type RunningFunction,
  runningFunctions,
  type WindowFunction,
  windowFunctions,
} from './syntax.ts';
import { type Token, tokensOf } from './tokens.ts';

/** Of one expression: characters (UTF-16 code units), operators and calls, parameters, things inside each other. */
export const expressionLimits = { characters: 1024, operations: 100, parameters: 32, levels: 16 } as const;

/** Reads an expression (docs/api.md, section 10). */
export function parseExpression(text: string): Expression | ExpressionFlaw {
  if (text.length > expressionLimits.characters) {
    const message = `has ${text.length} characters, and ${expressionLimits.characters} are allowed`;
    return { position: expressionLimits.characters, message };
  }
  const tokens = tokensOf(text);
  if (!Array.isArray(tokens)) return tokens;
  const parser = new Parser(tokens);
  try {
    const root = parser.whole();
    const { parameters, tags, operations } = parser;
    return { text, root, parameters, tags, operations, lookBack: lookBackOf(root) };
  } catch (error) {
    if (!(error instanceof Flaw)) throw error;
    return { position: error.position, message: error.message };
  }
}

export function isFlaw(parsed: Expression | ExpressionFlaw): parsed is ExpressionFlaw {
  return 'message' in parsed;
}

/** Goes no further than this file. */
class Flaw extends Error {
  readonly position: number;

  constructor(position: number, message: string) {
    super(message);
    this.position = position;
  }
}

class Parser {
  readonly parameters: string[] = [];
  readonly tags: string[] = [];
  operations = 0;
  private readonly tokens: readonly Token[];
  private at = 0;
  private levels = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  whole(): Node {
    const root = this.choice();
    if (this.next.type !== 'end') throw this.unexpected('an operator or the end');
    return root;
  }

  private get next(): Token {
    return this.tokens[this.at]!;
  }

  private choice(): Node {
    return this.within(() => {
      const condition = this.binary(0);
      if (!this.take('?')) return condition;
      this.operation();
      const whenTrue = this.choice();
      this.expect(':', 'an operator or ":"');
      return { type: 'choice', condition, whenTrue, whenFalse: this.choice() };
    });
  }

  private binary(level: number): Node {
    const operators = binaryLevels[level];
    if (operators === undefined) return this.unary();
    let left = this.binary(level + 1);
    for (;;) {
      const operator = (operators as readonly BinaryOperator[]).find((sign) => this.take(sign));
      if (operator === undefined) return left;
      this.operation();
      left = { type: 'binary', operator, left, right: this.binary(level + 1) };
    }
  }

  private unary(): Node {
    const operator = (['-', '!'] as const).find((sign) => this.take(sign));
    if (operator === undefined) return this.power();
    this.operation();
    return this.within(() => ({ type: 'unary', operator, operand: this.unary() }));
  }

  private power(): Node {
    const left = this.value();
    if (!this.take('^')) return left;
    this.operation();
    // An exponent may have a sign of its own: 10 ^ -3.
    return this.within(() => ({ type: 'binary', operator: '^', left, right: this.unary() }));
  }

  private value(): Node {
    const token = this.next;
    switch (token.type) {
      case 'number':
        this.at++;
        return this.number(token);
      case 'quotedName':
        this.at++;
        return this.parameter(token);
      case 'word':
        this.at++;
        return this.take('(') ? this.call(token) : this.parameter(token);
      default: {
        if (!this.take('(')) throw this.unexpected('a value');
        const inside = this.choice();
        this.expect(')', 'an operator or ")"');
        return inside;
      }
    }
  }

  private number({ text, position }: Token): Node {
    const value = Number(text);
    if (!Number.isFinite(value)) throw new Flaw(position, `has ${text}, which is too large for a number`);
    // `3.6kmh` would otherwise be told as a missing operator.
    if (this.next.type === 'word' && this.next.position === position + text.length) {
      throw new Flaw(
        position,
        `has ${text}${this.next.text}, which is neither a number nor a name; put a name in double quotes`,
      );
    }
    return { type: 'number', value };
  }

  private parameter({ text, position }: Token): Node {
    if (text === '') throw new Flaw(position, 'has an empty name');
    const known = this.parameters.indexOf(text);
    if (known >= 0) return { type: 'parameter', parameter: known };
    if (this.parameters.length === expressionLimits.parameters)
      throw new Flaw(position, `has more than ${expressionLimits.parameters} parameters`);
    return { type: 'parameter', parameter: this.parameters.push(text) - 1 };
  }

  private call(word: Token): Node {
    this.operation(word);
    const { text: name, position } = word;
    if (name === 'over') {
      const operand = this.operand("over(x, 'tag')");
      const tag = this.quoted('the name of a tag in single quotes');
      this.close("over(x, 'tag')");
      if (!this.tags.includes(tag)) this.tags.push(tag);
      const over: Node = { type: 'over', operand, tag };
      const misplaced = aheadInsideOver(over);
      if (misplaced !== undefined) throw new Flaw(position, misplaced);
      return over;
    }
    if (isOneOf<RunningFunction>(runningFunctions, name)) {
      const operand = this.choice();
      this.close(`${name}(x)`);
      return { type: 'running', name, operand };
    }
    if (isOneOf<WindowFunction>(windowFunctions, name)) {
      const shape = `${name}(x, '2s')`;
      const operand = this.operand(shape);
      const at = this.next.position;
      const width = durationOf(this.quoted("a time in single quotes, such as '2s'"));
      if (width === undefined)
        throw new Flaw(at, "expected a time such as '2s' or '100ms' (ns us ms s m h d; at most '366d')");
      this.close(shape);
      return { type: 'window', name, operand, width };
    }
    if (!Object.hasOwn(rowFunctions, name))
      throw new Flaw(
        position,
        `has ${name}(…), and there is no such function; there are ${functionNames.join(' ')}`,
      );
    return this.rowCall(name as RowFunction, position);
  }

  private rowCall(name: RowFunction, position: number): Node {
    const { least, most, operands } = rowFunctions[name];
    const args = [this.choice()];
    while (this.take(',')) args.push(this.choice());
    this.expect(')', 'an operator, "," or ")"');
    if (args.length < least || args.length > most)
      throw new Flaw(
        position,
        `has ${name} of ${args.length}, and it is ${name}(${operands})${most > least ? ` of ${least} to ${most}` : ''}`,
      );
    return { type: 'call', name, args };
  }

  private operand(shape: string): Node {
    const operand = this.choice();
    this.expect(',', `an operator or ",", as in ${shape}`);
    return operand;
  }

  private close(shape: string): void {
    this.expect(')', `an operator or ")", as in ${shape}`);
  }

  private quoted(what: string): string {
    const { type, text } = this.next;
    if (type !== 'text' || text === '') throw this.unexpected(what);
    this.at++;
    return text;
  }

  private take(sign: string): boolean {
    const { type, text } = this.next;
    if (type !== 'sign' || text !== sign) return false;
    this.at++;
    return true;
  }

  private expect(sign: string, what: string): void {
    if (!this.take(sign)) throw this.unexpected(what);
  }

  /** Counts the operation that was just taken. */
  private operation(token: Token = this.tokens[this.at - 1]!): void {
    if (++this.operations > expressionLimits.operations)
      throw new Flaw(token.position, `has more than ${expressionLimits.operations} operations`);
  }

  private within(read: () => Node): Node {
    // The outermost one is no level.
    if (++this.levels > expressionLimits.levels + 1)
      throw new Flaw(this.next.position, `has more than ${expressionLimits.levels} levels`);
    const node = read();
    this.levels--;
    return node;
  }

  private unexpected(what: string): Flaw {
    const { type, text, position } = this.next;
    if (type === 'end') return new Flaw(position, `expected ${what}, and the expression ends`);
    const found = type === 'quotedName' ? `"${text}"` : type === 'text' ? `'${text}'` : text;
    return new Flaw(position, `expected ${what}, and found ${found}`);
  }
}

const functionNames = [...Object.keys(rowFunctions), ...runningFunctions, ...windowFunctions, 'over'];

function isOneOf<Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name);
}
