import { type Dbc, keyOf } from './dbc.ts';
import { parseDbc } from './parse-dbc.ts';

/** A DBC file with its name. */
export interface DbcFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The longest DBC file, in bytes: those of whole vehicles have a few MiB. */
export const longestDbc = 64 << 20;

/**
 * Reads one or several DBC files. Where two describe a message of one id, the first file counts, and it is told. Throws
 * a FileFault that names file and line.
 */
export function readDbc(files: readonly DbcFile[]): Dbc {
  const all = files.map(({ name, bytes }) => ({ name, ...parseDbc(textOf(bytes), name) }));
  const messages = new Map(all.flatMap(({ messages }) => [...messages]).reverse());
  const notes = all.flatMap(({ name, messages: own, notes: told }) => {
    const twice = [...own.values()].filter((one) => {
      const first = messages.get(keyOf(one.id, one.isExtended))!;
      return first !== one && JSON.stringify(plain(first)) !== JSON.stringify(plain(one));
    });
    if (twice.length === 0) return told;
    const { name: message, id } = twice[0]!;
    return [
      ...told,
      `${twice.length} messages of ${name} are described in another DBC file before it, which counts, such as ${message} (0x${id.toString(16).toUpperCase()})`,
    ];
  });
  return { messages, notes };
}

function plain<Value extends object>(value: Value): unknown {
  return JSON.parse(JSON.stringify(value, (_key, one) => (one instanceof Map ? [...one] : one)));
}

/** Those of Vector's tools are in Windows-1252, others in UTF-8. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
