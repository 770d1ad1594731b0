import { FileFault } from '../file-bytes.ts';

/** Words, numbers, texts in quotes and marks of a DBC file, in their order. */
export interface DbcTokens {
  /** Undefined at the end. */
  next(): string | undefined;
  /** The next one, which is not taken. */
  peek(): string | undefined;
  /** Takes the next one, which must be this mark or word. Throws a FileFault that names the line. */
  expect(wanted: string): void;
  /** Takes a number, a word, or a text in quotes. Throws a FileFault that names the line. */
  number(): number;
  word(): string;
  text(): string;
  /** Takes all up to the semicolon, which is taken too. */
  skip(): void;
  fault(what: string): FileFault;
}

const token = /"(?:\\"|[^"])*"|\/\/[^\n]*|[A-Za-z_]\w*|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\S/g;

/** @param file its name, for messages */
export function dbcTokens(dbc: string, file: string): DbcTokens {
  const found = dbc.matchAll(token);
  let line = 1;
  let counted = 0;
  let place = 0;
  let ahead: string | undefined;

  const read = (): string | undefined => {
    for (;;) {
      const { value, done } = found.next();
      if (done === true) return undefined;
      place = value.index;
      if (!value[0].startsWith('//')) return value[0];
    }
  };
  const tokens: DbcTokens = {
    next() {
      const taken = ahead ?? read();
      ahead = undefined;
      return taken;
    },
    peek() {
      ahead ??= read();
      return ahead;
    },
    expect(wanted) {
      const taken = tokens.next();
      if (taken !== wanted) throw tokens.fault(`'${wanted}' was expected, and there is ${shown(taken)}`);
    },
    number() {
      const taken = tokens.next();
      const value = taken === undefined || taken.startsWith('"') ? Number.NaN : Number(taken);
      if (Number.isNaN(value)) throw tokens.fault(`a number was expected, and there is ${shown(taken)}`);
      return value;
    },
    word() {
      const taken = tokens.next();
      if (taken === undefined || !/^[A-Za-z_]/.test(taken))
        throw tokens.fault(`a name was expected, and there is ${shown(taken)}`);
      return taken;
    },
    text() {
      const taken = tokens.next();
      if (taken === undefined || !/^".*"$/s.test(taken))
        throw tokens.fault(`a text in quotes was expected, and there is ${shown(taken)}`);
      return taken.slice(1, -1).replaceAll('\\"', '"');
    },
    skip() {
      for (let taken = tokens.next(); taken !== ';' && taken !== undefined; ) taken = tokens.next();
    },
    fault(what) {
      for (; counted < place; counted++) if (dbc.charCodeAt(counted) === 10) line++;
      return new FileFault(what, undefined, `${file}, line ${line}`);
    },
  };
  return tokens;
}

function shown(taken: string | undefined): string {
  return taken === undefined ? 'the end' : `'${taken.slice(0, 40)}'`;
}
