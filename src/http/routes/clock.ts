import { requireOperator } from '../../auth/authenticate.ts';
import type { Principal } from '../../domain/principal.ts';
import { isoFromMillis } from '../../domain/timestamp.ts';
import { PitwallError } from '../../errors.ts';
import type { ClockReading, Keeper, StoreClock } from '../../store/store.ts';
import { json, type Route } from '../route.ts';
import { clock } from '../schemas/service.ts';

/** Rows of all workspaces expire by this clock, so it takes the default workspace's admin. */
export function readClock(store: Keeper): Route {
  return {
    method: 'GET',
    path: '/admin/clock',
    interface: 'admin',
    scope: 'admin',
    summary: "What the machine's clock says, and how far the retention of rows believes it",
    response: clock,
    handle: ({ principal }) => json(shown(clockFor(principal, store).read())),
  };
}

export function confirmClock(store: Keeper): Route {
  return {
    method: 'POST',
    path: '/admin/clock',
    interface: 'admin',
    scope: 'admin',
    summary: "Confirm that the machine's clock is right: rows expire by it from now on",
    response: clock,
    handle: async ({ principal }) => json(shown(await clockFor(principal, store).confirm())),
  };
}

function clockFor(principal: Principal, store: Keeper): StoreClock {
  requireOperator(principal, 'the clock is that of every workspace: it is');
  if (store.clock !== undefined) return store.clock;
  throw new PitwallError('not_supported', {
    detail: 'rows are in ClickHouse, whose clock tells when they expire',
  });
}

function shown({ time, believed, heldBackMs, believedInMs }: ClockReading) {
  return {
    time: isoFromMillis(time),
    believed: isoFromMillis(believed),
    heldBackSeconds: Math.round(heldBackMs / 1000),
    believedInSeconds: believedInMs === undefined ? undefined : Math.ceil(believedInMs / 1000),
  };
}
