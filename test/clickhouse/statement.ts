// What has to be known of a statement's text before it runs: no more than its first word and its last clauses.

export interface Statement {
  readonly text: string;
  readonly kind: 'read' | 'insert' | 'kill' | 'set' | 'other';
  /** Of the FORMAT clause at the end. */
  readonly format: string | undefined;
}

export function statementOf(text: string): Statement {
  const word = /^(?:\s|--[^\n]*\n|\/\*.*?\*\/|\()*([a-z]+)/is.exec(text)?.[1]?.toUpperCase() ?? '';
  const format = /\sFORMAT\s+(\w+)(?:\s+SETTINGS\s[^']*)?[\s;]*$/i.exec(text)?.[1];
  return { text, kind: kinds.get(word) ?? 'other', format };
}

const kinds: ReadonlyMap<string, Statement['kind']> = new Map([
  ['SELECT', 'read'],
  ['WITH', 'read'],
  ['INSERT', 'insert'],
  ['KILL', 'kill'],
  ['SET', 'set'],
  ['USE', 'set'],
]);

/** The same INSERT with its data in a file. Undefined where the statement says no format for it. */
export function insertFromFile(text: string, path: string): string | undefined {
  const parts = /^(.*?)(\s+SETTINGS\s+.*?)?\s+FORMAT\s+(\w+)[\s;]*$/is.exec(text);
  if (parts === null) return undefined;
  const [, into, settings = '', format] = parts;
  return `${into} FROM INFILE ${literal(path)}${settings} FORMAT ${format}`;
}

/** A string literal of ClickHouse's SQL. */
export function literal(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

export function quoted(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}
