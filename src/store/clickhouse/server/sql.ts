/**
 * SQL as data: the only file that makes SQL text of pieces that depend on data. A statement is a tagged template,
 * whose holes take other SQL, names and parameters and nothing else. Parameters are bound (`{p0:Int64}`), so no value
 * ever stands in the text, and names are quoted.
 *
 *     sql`SELECT sum(count) FROM ${name('windows')} WHERE stream = ${param(streamId, 'String')}`
 */
export interface Sql {
  /** One more than there are holes. */
  readonly texts: readonly string[];
  readonly holes: readonly Param[];
}

export interface Param {
  readonly value: ParamValue;
  readonly type: ParamType;
}

export type ParamValue = string | number | bigint | readonly ParamValue[];

/** Types that parameters are sent as; no doubles, whose decimal text would have to be read back exactly. */
export type ParamType = ScalarType | `Array(${ScalarType})`;
type ScalarType = 'String' | 'Int64' | 'UInt64' | 'UInt32' | 'UInt8';

/** What a connection takes: the text names its parameters (`{p0:Int64}`), whose values never stand in it. */
export interface Statement {
  readonly text: string;
  readonly params: Readonly<Record<string, ParamValue>>;
}

export function sql(texts: TemplateStringsArray, ...holes: readonly (Sql | Param)[]): Sql {
  const joined = builder();
  texts.forEach((text, i) => {
    joined.addText(text);
    const hole = holes[i];
    if (hole !== undefined) joined.add(hole);
  });
  return joined.build();
}

/** A value that is sent beside the text. */
export function param(value: ParamValue, type: ParamType): Param {
  return { value, type };
}

/** A quoted name: of a column, or of a table with its database before it. */
export function name(...path: readonly [string, ...string[]]): Sql {
  return { texts: [path.map(quotedName).join('.')], holes: [] };
}

/** A double by its bits: a decimal text would have to be read back exactly. */
export function bitsOf(value: number): bigint {
  return new BigUint64Array(Float64Array.of(value).buffer)[0]!;
}

/** Pieces one after another with `separator` between them. */
export function join(pieces: readonly Sql[], separator: Sql = sql`, `): Sql {
  const joined = builder();
  pieces.forEach((piece, i) => {
    if (i > 0) joined.add(separator);
    joined.add(piece);
  });
  return joined.build();
}

/** All conditions at once; true where there are none. */
export function every(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : join(conditions.map(inBrackets), sql` AND `);
}

/** At least one of the conditions; false where there are none. */
export function some(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`false` : join(conditions.map(inBrackets), sql` OR `);
}

function inBrackets(condition: Sql): Sql {
  return sql`(${condition})`;
}

/**
 * A quoted text: for constants of the program's own, and for statements that take no parameters (settings and engine
 * arguments of CREATE and ALTER).
 */
export function literal(text: string): Sql {
  return { texts: [`'${escaped(text, "'")}'`], holes: [] };
}

/** A whole number, for the same statements and for places that the grammar keeps for numbers. */
export function integer(value: number | bigint): Sql {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new Error(`not a whole number: ${value}`);
  return { texts: [String(value)], holes: [] };
}

/** The text with its parameters, numbered in order; equal ones of one type that stand side by side are not joined. */
export function print(statement: Sql): Statement {
  const params: Record<string, ParamValue> = {};
  let count = 0;
  const bind = (value: ParamValue, type: ParamType): string => {
    const key = `p${count++}`;
    params[key] = value;
    return `{${key}:${type}}`;
  };
  let text = statement.texts[0]!;
  statement.holes.forEach(({ value, type }, i) => {
    const pieces = Array.isArray(value) ? piecesOf(value) : [value];
    const bound = pieces.map((piece) => bind(piece, type));
    if (bound.length === 1) text += bound[0]!;
    else text += text.endsWith(' IN ') ? setOf(bound) : `arrayConcat(${bound.join(', ')})`;
    text += statement.texts[i + 1]!;
  });
  return { text, params };
}

/**
 * ClickHouse takes no field of a form above 128 KiB (http_max_field_value_size), so a long list is sent in pieces. Of
 * a character come at most four bytes: three of UTF-8, or two with a backslash.
 */
const maxPieceLength = 30_000;

function piecesOf(values: readonly ParamValue[]): ParamValue[] {
  const pieces: ParamValue[][] = [[]];
  let length = 0;
  for (const value of values) {
    const taken = String(value).length + 1;
    if (length > 0 && length + taken > maxPieceLength) {
      pieces.push([]);
      length = 0;
    }
    pieces.at(-1)!.push(value);
    length += taken;
  }
  return pieces;
}

/**
 * What stands after IN. ClickHouse makes no set of an expression whose value takes more than 1 MiB: it looks through
 * all of the list for every row, which for some 40,000 streams takes minutes. Of a subquery it always makes one.
 */
function setOf(pieces: readonly string[]): string {
  return `(SELECT arrayJoin(arrayConcat(${pieces.join(', ')})))`;
}

function builder() {
  const texts = [''];
  const holes: Param[] = [];
  const addText = (text: string) => {
    texts[texts.length - 1] += text;
  };
  return {
    addText,
    add(piece: Sql | Param): void {
      if ('value' in piece) {
        holes.push(piece);
        texts.push('');
        return;
      }
      addText(piece.texts[0]!);
      piece.holes.forEach((hole, i) => {
        holes.push(hole);
        texts.push(piece.texts[i + 1]!);
      });
    },
    build: (): Sql => ({ texts, holes }),
  };
}

function quotedName(text: string): string {
  if (text === '') throw new Error('a name has to have characters');
  return `\`${escaped(text, '`')}\``;
}

/** Backslashes and the quote, and what a terminal or a log would trip over. */
function escaped(text: string, quote: string): string {
  let escapedText = '';
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (character === quote || character === '\\') escapedText += `\\${character}`;
    else if (code < 0x20 || code === 0x7f) escapedText += `\\x${code.toString(16).padStart(2, '0')}`;
    else escapedText += character;
  }
  return escapedText;
}
