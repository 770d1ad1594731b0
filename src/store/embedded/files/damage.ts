/** A range of bytes [from, to) of a file that cannot be trusted, and what is wrong there. */
export interface Damage {
  readonly file: string;
  readonly from: number;
  readonly to: number;
  readonly what: string;
}

/** Describes damage in one line. */
export function lineOf({ file, from, to, what }: Damage): string {
  return `${file}: bytes ${from} to ${to}: ${what}`;
}

/** Stored bytes are not what was written: no part of them may be served. */
export class DamagedError extends Error implements Damage {
  readonly file: string;
  readonly from: number;
  readonly to: number;
  readonly what: string;

  constructor(file: string, from: number, to: number, what: string, options?: ErrorOptions) {
    super(lineOf({ file, from, to, what }), options);
    this.name = 'DamagedError';
    this.file = file;
    this.from = from;
    this.to = to;
    this.what = what;
  }
}

/**
 * Runs a decoder over the bytes [from, to) of a file. Whatever it throws means that these bytes are not what
 * was written, and comes out as a DamagedError.
 */
export function decodeStored<T>(file: string, from: number, to: number, what: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DamagedError(file, from, to, `${what}: ${reason}`, { cause: error });
  }
}
