import type { Principal } from '../../domain/principal.ts';

/** Who calls, and whether that still holds. */
export interface Credentials {
  readonly principal: Principal;
  /** Throws a PitwallError, or rejects with one, when they are no longer valid. */
  check(): unknown;
}

/** The credentials of a connection: those of its latest request, looked up again from time to time. */
export interface HeldCredentials {
  readonly principal: Principal;
  renew(latest: Credentials): void;
  /** Comes about once a second. */
  tick(time: number): void;
}

/** How often a token is looked up again; a revoked one must not live for a minute. That of a share is, at each tick. */
const credentialsMs = 20_000;

/**
 * @param now milliseconds, from any origin
 * @param attempt runs something whose error ends the connection
 */
export function heldCredentials(
  first: Credentials,
  now: () => number,
  attempt: (action: () => void) => void,
): HeldCredentials {
  let credentials = first;
  let lastChecked = now();

  function check(): void {
    const looked = credentials;
    const checked = looked.check();
    if (!(checked instanceof Promise)) return;
    checked.catch((error: unknown) => {
      // Newer ones may have come meanwhile.
      if (credentials !== looked) return;
      attempt(() => {
        throw error;
      });
    });
  }

  const held = {
    principal: first.principal,
    renew(latest: Credentials) {
      credentials = latest;
      held.principal = latest.principal;
      lastChecked = now();
    },
    tick(time: number) {
      if (held.principal.share === undefined && time - lastChecked < credentialsMs) return;
      lastChecked = time;
      attempt(check);
    },
  };
  return held;
}
