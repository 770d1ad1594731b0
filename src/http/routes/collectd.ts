import type { Doors } from '../../ingest/doors.ts';
import type { Writer } from '../../ingest/writer.ts';
import { collectdCommandSteps } from '../../wire/collectd/commands.ts';
import { collectdJsonSteps } from '../../wire/collectd/json.ts';
import type { CollectdRules } from '../../wire/collectd/values.ts';
import { sampleTime } from '../../wire/series/sample-time.ts';
import type { Route } from '../route.ts';
import { eventValue } from '../schemas/written-data.ts';
import { countedDialect } from './counted-dialect.ts';
import { authorization } from './door-access.ts';
import { laterIs503, refusePlain, seriesAnswer } from './plain-answers.ts';
import { writeCall } from './write-call.ts';

/**
 * Makes the route for collectd's plugin write_http, in JSON and as commands. It takes any status but 200 for a failure,
 * 204 too, sends nothing again, and shows its password only when it is asked for.
 */
export function collectd(
  writer: Writer,
  settings: Omit<CollectdRules, 'now'>,
  doors: Doors,
  nextTime: () => bigint,
): Route {
  const rules = { ...settings, now: () => sampleTime(nextTime()) };
  const door = doors.open('collectd', ['/collectd']);
  return {
    method: 'POST',
    path: '/collectd',
    interface: 'writer',
    scope: 'write',
    summary: 'Write as collectd does',
    body: { schema: eventValue, optional: true, anyType: true },
    dialect: countedDialect(door, { authorization, refuse: refusePlain(laterIs503) }),
    async handle(call) {
      const { body, reservation } = call;
      const steps = isJson(body) ? collectdJsonSteps : collectdCommandSteps;
      const series = await writer.series.writeFitting(writeCall(call), body.length, (refuses) =>
        steps(body, { ...rules, refuses }, reservation),
      );
      door.took(series, series.read.refused.counts);
      return seriesAnswer(200, series);
    },
  };
}

/** No command begins with a bracket. */
function isJson(body: Uint8Array): boolean {
  const first = body.find((byte) => byte > 0x20);
  return first === 0x5b || first === 0x7b;
}
