import { type ErrorCode, type InputFault, PitwallError } from '../../../errors.ts';
import { type Damage, DamagedError } from '../files/damage.ts';

/** An error as plain data: another thread has classes of its own. */
export type ToldError =
  | {
      readonly kind: 'pitwall';
      readonly code: ErrorCode;
      readonly detail: string;
      readonly errors: readonly InputFault[];
      readonly retryAfter: number | undefined;
    }
  | { readonly kind: 'damage'; readonly damage: Damage }
  | { readonly kind: 'other'; readonly message: string; readonly code: string | undefined };

export function tellError(error: unknown): ToldError {
  if (error instanceof PitwallError) {
    const { code, message, errors, retryAfter } = error;
    return { kind: 'pitwall', code, detail: message, errors, retryAfter };
  }
  if (error instanceof DamagedError) {
    const { file, from, to, what } = error;
    return { kind: 'damage', damage: { file, from, to, what } };
  }
  const { message, code } = error as NodeJS.ErrnoException;
  return { kind: 'other', message: String(message), code };
}

/** The error that was told, of the class that it had. */
export function errorTold(told: ToldError): Error {
  switch (told.kind) {
    case 'pitwall': {
      const { code, detail, errors, retryAfter } = told;
      return new PitwallError(code, { detail, errors, ...(retryAfter !== undefined && { retryAfter }) });
    }
    case 'damage': {
      const { file, from, to, what } = told.damage;
      return new DamagedError(file, from, to, what);
    }
    default:
      return Object.assign(new Error(told.message), told.code !== undefined && { code: told.code });
  }
}
