import type { Principal, Scope } from '../domain/principal.ts';
import { PitwallError } from '../errors.ts';
import type { ByteBudget, Reservation } from '../ingest/byte-budget.ts';
import type { Metrics } from '../metrics.ts';
import type { WorkspaceOfHost } from '../workspaces/host-pattern.ts';
import { type Authenticate, isOperator, requireScope } from './authenticate.ts';

/** What a route asks of its callers. */
export interface Guarded {
  readonly path: string;
  /** What the token must allow: `any` takes every valid token; undefined asks for none. */
  readonly scope: Scope | 'any' | undefined;
  /** The token of a share may come in as well: see `Demand`. */
  readonly openToShares?: true;
}

/** What a request shows of its caller. */
export interface Shown {
  /** The value of the header Authorization, or of what stands for it. */
  readonly authorization: string | undefined;
  /** The header Host. */
  readonly host: string | undefined;
}

/** A request that may go on. */
export interface Admission {
  /** Who asks; on a route without a scope nobody is asked, and reading anything of it is a bug. */
  readonly principal: Principal;
  /**
   * Whether an admin of the default workspace asks, on a route without a scope too. A token that is not valid is none: who
   * shows one there is let in like everybody, and no refusal is counted.
   */
  isOperator(): Promise<boolean>;
  /** The request's share of the byte budget, still empty. */
  readonly reservation: Reservation;
}

/**
 * Lets a request in: the one way for HTTP, its lane and the hub. Throws `unauthorized` (401) for a token that is not valid,
 * `forbidden` (403) for one of another workspace than the address or without the scope. Gives a promise, which rejects
 * so, where the store has to look whether another node has made the token. Every refusal is counted, also one of the
 * reservation.
 */
export type Admit = (route: Guarded, request: Shown) => Admission | Promise<Admission>;

export interface AdmitParts {
  readonly authenticate: Authenticate;
  readonly workspaceOfHost: WorkspaceOfHost;
  readonly budget: ByteBudget;
  readonly metrics: Pick<Metrics, 'refusedRequests'>;
}

export function createAdmit({ authenticate, workspaceOfHost, budget, metrics }: AdmitParts): Admit {
  const refusals = metrics.refusedRequests;
  // From the start, so that the first one of a kind is a rise.
  for (const reason of ['unauthorized', 'forbidden', 'overloaded'] as const) refusals.inc({ reason }, 0);
  const countOverload = (): void => refusals.inc({ reason: 'overloaded' });

  const counted = (error: unknown): unknown => {
    if (error instanceof PitwallError) refusals.inc({ reason: error.code });
    return error;
  };

  const enter = (route: Guarded, { host }: Shown, principal: Principal): Admission => {
    const addressed = workspaceOfHost(host);
    if (addressed !== undefined && addressed !== principal.workspace) {
      throw new PitwallError('forbidden', {
        detail: `the token does not belong to the workspace '${addressed}'`,
      });
    }
    if (principal.share !== undefined && route.openToShares !== true) throw notShared();
    if (principal.share === undefined && route.scope !== undefined && route.scope !== 'any') {
      requireScope(principal, route.scope);
    }
    return {
      principal,
      isOperator: async () => isOperator(principal),
      reservation: budget.open(principal, countOverload),
    };
  };

  const enterLater = async (
    route: Guarded,
    request: Shown,
    asked: Promise<Principal>,
  ): Promise<Admission> => {
    try {
      return enter(route, request, await asked);
    } catch (error) {
      throw counted(error);
    }
  };

  return (route, request) => {
    if (route.scope === undefined) {
      return unasked(route, budget.open(undefined, countOverload), async () => {
        try {
          return isOperator(await authenticate(request.authorization));
        } catch (error) {
          if (error instanceof PitwallError) return false;
          throw error;
        }
      });
    }
    try {
      const principal = authenticate(request.authorization);
      if (principal instanceof Promise) return enterLater(route, request, principal);
      return enter(route, request, principal);
    } catch (error) {
      throw counted(error);
    }
  };
}

/** Makes the error for a token of a share that asks for anything else, whether it is there or not. */
export function notShared(): PitwallError {
  return new PitwallError('forbidden', {
    detail: 'this is the token of a share: it reads one view and the streams that were shared with it',
  });
}

function unasked(
  { path }: Guarded,
  reservation: Reservation,
  isOperator: Admission['isOperator'],
): Admission {
  return {
    principal: nobody(path),
    isOperator,
    reservation,
  };
}

/** Who asks on a route without a scope: nothing can be read of it. */
function nobody(path: string): Principal {
  const refuse = (): never => {
    throw new Error(`${path} has no scope, so nobody is asked who they are`);
  };
  return new Proxy<Partial<Principal>>({}, { get: refuse, has: refuse, ownKeys: refuse }) as Principal;
}
