/** A wrong or unknown setting; the message is one line for the operator. */
export class ConfigError extends Error {}

export interface Setting<Value> {
  readonly unit: string;
  /** As an operator would write it; empty means unset. */
  readonly fallback: string;
  /** Reads the text of a setting, or throws an Error that says what was expected. */
  readonly read: (text: string) => Value;
  readonly help: string;
  /** Secrets have no flag: every user of a machine can see its command lines. */
  readonly secret: boolean;
}

export function flagOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export function variableOf(key: string): string {
  return `PITWALL_${flagOf(key).replaceAll('-', '_').toUpperCase()}`;
}

/** @param fallback as an operator would write it; empty means unset */
export function setting<Value>(
  unit: string,
  fallback: string,
  read: (text: string) => Value,
  help: string,
): Setting<Value> {
  return { unit, fallback, read, help, secret: false };
}

/** Makes a setting that nobody else may see. */
export function secret<Value>(
  unit: string,
  fallback: string,
  read: (text: string) => Value,
  help: string,
): Setting<Value> {
  return { unit, fallback, read, help, secret: true };
}
