import { PitwallError } from '../../errors.ts';

/**
 * The few statements of InfluxQL (InfluxDB's documentation of version 1, "Influx Query Language reference") with which
 * clients begin:
 *
 *   SHOW DATABASES
 *   SHOW MEASUREMENTS [ON database] [LIMIT n] [OFFSET n]
 *   SHOW RETENTION POLICIES [ON database]
 *   CREATE DATABASE name [WITH …]
 *   DROP DATABASE name
 *   DROP MEASUREMENT name
 *   DROP RETENTION POLICY name ON database
 *
 * Keywords in any case; names as words, or in double quotes with backslashes; `;` between statements; comments as in SQL.
 */
export type Statement =
  | { readonly type: 'showDatabases' }
  | {
      readonly type: 'showMeasurements';
      readonly database?: string;
      readonly limit?: number;
      readonly offset?: number;
    }
  | { readonly type: 'showRetentionPolicies'; readonly database?: string }
  | { readonly type: 'createDatabase'; readonly name: string; readonly hasOptions: boolean }
  | { readonly type: 'dropDatabase'; readonly name: string }
  | { readonly type: 'dropMeasurement'; readonly name: string }
  | { readonly type: 'dropRetentionPolicy'; readonly name: string; readonly database: string };

interface Token {
  readonly kind: 'word' | 'name' | 'number' | 'other' | 'end';
  /** A word or a name as it is meant, anything else as it stands. */
  readonly text: string;
  readonly at: number;
}

/** Throws `not_supported` (400) for everything else, with InfluxDB's wording: it names what was found, and where. */
export function readStatements(text: string): Statement[] {
  const reader = readerOf(text);
  const statements: Statement[] = [];
  while (!reader.ends()) {
    if (reader.takes(';')) continue;
    if (statements.length === maxStatements) throw reader.expected('EOF');
    statements.push(readStatement(reader));
    if (!reader.ends() && !reader.takes(';')) throw reader.expected(';');
  }
  if (statements.length === 0) throw reader.expected(...beginnings);
  return statements;
}

/** The most statements of a query: each may list all topics or streams. */
const maxStatements = 16;

const beginnings = ['SHOW', 'CREATE', 'DROP'];

function readStatement(reader: Reader): Statement {
  if (reader.takes('SHOW')) return readShow(reader);
  if (reader.takes('CREATE')) {
    if (!reader.takes('DATABASE')) throw reader.expected('DATABASE');
    const name = reader.name();
    const hasOptions = reader.takes('WITH');
    while (hasOptions && !reader.ends() && !reader.isAt(';')) reader.skip();
    return { type: 'createDatabase', name, hasOptions };
  }
  if (!reader.takes('DROP')) throw reader.expected(...beginnings);
  if (reader.takes('DATABASE')) return { type: 'dropDatabase', name: reader.name() };
  if (reader.takes('MEASUREMENT')) return { type: 'dropMeasurement', name: reader.name() };
  if (!reader.takes('RETENTION', 'POLICY')) {
    throw reader.expected('DATABASE', 'MEASUREMENT', 'RETENTION POLICY');
  }
  const name = reader.name();
  if (!reader.takes('ON')) throw reader.expected('ON');
  return { type: 'dropRetentionPolicy', name, database: reader.name() };
}

function readShow(reader: Reader): Statement {
  const database = (): { database?: string } => (reader.takes('ON') ? { database: reader.name() } : {});
  if (reader.takes('DATABASES')) return { type: 'showDatabases' };
  if (reader.takes('RETENTION', 'POLICIES')) return { type: 'showRetentionPolicies', ...database() };
  if (!reader.takes('MEASUREMENTS')) {
    throw reader.expected('DATABASES', 'MEASUREMENTS', 'RETENTION POLICIES');
  }
  const named = database();
  const limit = reader.takes('LIMIT') ? { limit: reader.count() } : {};
  const offset = reader.takes('OFFSET') ? { offset: reader.count() } : {};
  return { type: 'showMeasurements', ...named, ...limit, ...offset };
}

type Reader = ReturnType<typeof readerOf>;

function readerOf(text: string) {
  const tokens = tokensOf(text);
  let next = 0;
  const peek = (): Token => tokens[next]!;
  const is = (token: Token | undefined, word: string): boolean =>
    token !== undefined &&
    (token.kind === 'word' || token.kind === 'other') &&
    token.text.toUpperCase() === word;
  const expected = (...choices: string[]): PitwallError => {
    const { kind, text: found, at } = peek();
    const before = text.slice(0, at).split('\n');
    const what = kind === 'end' ? 'EOF' : found.slice(0, 64);
    const place = `line ${before.length}, char ${before.at(-1)!.length + 1}`;
    return new PitwallError('not_supported', {
      detail:
        `error parsing query: found ${what}, expected ${choices.join(', ')} at ${place}; ` +
        'rows are read with POST /parameters/data',
    });
  };
  const take = (...kinds: Token['kind'][]): string | undefined =>
    kinds.includes(peek().kind) ? tokens[next++]!.text : undefined;

  return {
    expected,
    ends: () => peek().kind === 'end',
    isAt: (word: string) => is(peek(), word),
    skip() {
      next++;
    },
    /** Reads these words, if all of them are next. */
    takes(...words: string[]): boolean {
      if (!words.every((word, i) => is(tokens[next + i], word))) return false;
      next += words.length;
      return true;
    },
    name(): string {
      const name = take('word', 'name');
      if (name === undefined) throw expected('identifier');
      return name;
    },
    count(): number {
      const digits = take('number');
      if (digits === undefined) throw expected('integer');
      return Number(digits);
    },
  };
}

/**
 * Blanks and comments, then a word, a name in quotes, digits, or one other character. Whatever has no end goes on to the
 * end of the text or line, so that no character is looked at twice.
 */
const tokenPattern =
  /(?:\s|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))*(?:([A-Za-z_]\w*)|"([^"\\\n]*(?:\\[\s\S][^"\\\n]*)*)("?)|(\d+)|([\s\S])|$)/y;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  for (;;) {
    const [, word, name, closing, digits, other] = tokenPattern.exec(text)!;
    const end = tokenPattern.lastIndex;
    if (word !== undefined) tokens.push({ kind: 'word', text: word, at: end - word.length });
    else if (digits !== undefined) tokens.push({ kind: 'number', text: digits, at: end - digits.length });
    else if (other !== undefined) tokens.push({ kind: 'other', text: other, at: end - 1 });
    else if (name === undefined) {
      tokens.push({ kind: 'end', text: '', at: text.length });
      return tokens;
    } else {
      const at = end - name.length - 1 - closing!.length;
      const isName = name !== '' && closing === '"';
      tokens.push(
        isName ? { kind: 'name', text: plain(name), at } : { kind: 'other', text: `"${name}${closing}`, at },
      );
    }
  }
}

function plain(quoted: string): string {
  return quoted.replace(/\\([\s\S])/g, (_, character: string) => (character === 'n' ? '\n' : character));
}
