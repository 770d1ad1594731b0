import { randomUUID } from 'node:crypto';
import type { Statement } from './sql.ts';

/**
 * A statement with more parameters than an address has room for, as a form: `query` and a part `param_<name>` for
 * each parameter ("HTTP interface / Queries with parameters" in ClickHouse's docs). The official client makes such
 * forms by itself for answers that it reads, but not for those that come as bytes or for statements without one.
 */
export interface StatementForm {
  readonly body: string;
  readonly contentType: string;
}

/**
 * The longest text in an address: servers and what stands before them take 8 kB at least, of which a text can take
 * three times its length.
 */
const maxInAddress = 2000;

/** Undefined where the parameters fit into the address. */
export function formOf({ text, params }: Statement): StatementForm | undefined {
  const values = Object.entries(params).map(([name, value]) => [name, printed(value)] as const);
  if (values.reduce((length, [, value]) => length + value.length, 0) <= maxInAddress) return undefined;
  const boundary = `pitwall-${randomUUID()}`;
  const parts = [
    ['query', text] as const,
    ...values.map(([name, value]) => [`param_${name}`, value] as const),
  ];
  const lines = parts.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return {
    body: `${lines.join('')}--${boundary}--`,
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

/** A value in the TabSeparated format, as parameters are sent; texts inside of arrays have quotes. */
function printed(value: unknown): string {
  return typeof value === 'string' ? escaped(value) : printedInside(value);
}

function printedInside(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printedInside).join(',')}]`;
  if (typeof value === 'string') return `'${escaped(value)}'`;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  throw new TypeError(`a parameter cannot be a ${typeof value}`);
}

function escaped(text: string): string {
  return text.replace(/[\\'\t\n\r]/g, (character) => escapes[character]!);
}

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};
