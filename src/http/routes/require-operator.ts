import { defaultWorkspace, type Principal } from '../../domain/principal.ts';
import { PitwallError } from '../../errors.ts';

/** Throws `forbidden` for anyone but an admin of the default workspace; `what` begins the sentence that says so. */
export function requireOperator(principal: Principal, what: string): void {
  if (principal.workspace === defaultWorkspace) return;
  throw new PitwallError('forbidden', {
    detail: `${what} for admins of the workspace '${defaultWorkspace}'`,
  });
}
