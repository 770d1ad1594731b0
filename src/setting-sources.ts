import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { withoutLogin } from './domain/login.ts';
import { ConfigError, flagOf, type Setting, variableOf } from './setting.ts';
import { truth } from './setting-values.ts';
import { settings } from './settings.ts';

/** The texts of settings by their keys, and of `config`, the file with more of them. */
export type Given = ReadonlyMap<string, string>;

export function readFlags(argv: readonly string[]): Given {
  const options: Record<string, { type: 'string' | 'boolean' }> = { config: { type: 'string' } };
  const keys = new Map([['config', 'config']]);
  for (const [key, { secret, read }] of Object.entries<Setting<unknown>>(settings)) {
    if (secret) continue;
    options[flagOf(key)] = { type: read === truth ? 'boolean' : 'string' };
    keys.set(flagOf(key), key);
  }
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  const values = new Map<string, string>();
  for (const [i, part] of tokens.entries()) {
    if (part.kind === 'positional') throw notASetting(part.value, tokens[i - 1]);
    if (part.kind !== 'option') continue;
    const key = keys.get(part.name);
    if (key === undefined || !part.rawName.startsWith('--')) {
      throw new ConfigError(`${withoutLogin(part.rawName)} is not a setting; see pitwall serve --help`);
    }
    const given = part.value ?? (options[part.name]!.type === 'boolean' ? 'true' : undefined);
    if (given === undefined || (given.startsWith('--') && !part.inlineValue)) {
      throw new ConfigError(`${part.rawName} needs a value`);
    }
    values.set(key, given);
  }
  return values;
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

function notASetting(word: string, before: Token | undefined): ConfigError {
  // An address that stands where it does not belong may have a password in it.
  const shown = withoutLogin(word);
  // Another option would have taken the word for its value.
  if (before?.kind === 'option' && before.value === undefined) {
    const { rawName } = before;
    return new ConfigError(
      `'${shown}' is not a setting; write ${rawName}, or a value of it as ${rawName}=false`,
    );
  }
  return new ConfigError(`'${shown}' is not a setting; see pitwall serve --help`);
}

/** Variables that are no settings: the client commands', and those that Kubernetes sets for a service named pitwall. */
const foreignVariable = /^PITWALL_(URL|FROM_TOKEN|TO_TOKEN|PORT(_.*)?|SERVICE_(HOST|PORT.*))$/;

/** Without them rows go elsewhere: who names them means to. */
const neverEmpty: readonly string[] = ['store', 'live', 'replicas'].map(variableOf);

/** An empty variable counts as unset: containers often pass one on so. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Given {
  const keys = new Map(['config', ...Object.keys(settings)].map((key) => [variableOf(key), key]));
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('PITWALL_') || value === undefined || foreignVariable.test(name)) continue;
    if (value === '' && !neverEmpty.includes(name)) continue;
    const key = keys.get(name);
    if (key === undefined) throw new ConfigError(`${name} is not a setting; see pitwall serve --help`);
    values.set(key, value);
  }
  return values;
}

export function readFile(path: string): Given {
  let text: string;
  let parsed: unknown;
  const shown = withoutLogin(path);
  try {
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
    parsed = JSON.parse(text);
  } catch (error) {
    const message = withoutSource((error as Error).message).replaceAll(path, () => shown);
    throw new ConfigError(`the file ${shown} cannot be read: ${message}`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new ConfigError(`the file ${shown} must hold one JSON object`);
  }
  const values = new Map<string, string>();
  for (const [key, value] of Object.entries(parsed)) {
    if (!Object.hasOwn(settings, key)) throw new ConfigError(`${key} in ${shown} is not a setting`);
    if (value === null) continue;
    if (typeof value === 'object')
      throw new ConfigError(`${key} in ${shown} must be text, a number, true or false`);
    values.set(key, String(value));
  }
  const keys = keysOf(text);
  const twice = keys.find((key, i) => keys.indexOf(key) < i);
  if (twice !== undefined) throw new ConfigError(`${twice} stands twice in ${shown}`);
  return values;
}

/** The keys of a JSON object of plain values; of those that stand twice JSON.parse gives the last. */
function keysOf(text: string): string[] {
  return [...text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?/g)].flatMap(([, quoted, colon]) =>
    colon === undefined ? [] : [JSON.parse(quoted!) as string],
  );
}

/** What JSON.parse says, without what it quotes of the file. */
function withoutSource(message: string): string {
  return message.replace(/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s, ' is not valid JSON');
}
