import type { Doors } from '../../ingest/doors.ts';
import type { Writer } from '../../ingest/writer.ts';
import { type RemoteRules, remoteWriteSteps } from '../../wire/series/remote-write.ts';
import type { Route } from '../route.ts';
import { eventValue } from '../schemas/written-data.ts';
import { countedDialect } from './counted-dialect.ts';
import { authorization } from './door-access.ts';
import { refusePlain, seriesAnswer } from './plain-answers.ts';
import { writeCall } from './write-call.ts';

/**
 * Remote write of Prometheus, at its own address and at the one of Mimir and Cortex. Its errors are what senders go on after, or
 * come again: Prometheus 2.42 drops what gets any 4xx, and sends what gets a 5xx again; vmagent 1.79.5 drops at 400 and 409
 * only, and stands still at 401, 404, 413, 415 and 429. So what can never be taken is 400, what may be taken later is 503.
 */
export function remoteWrite(writer: Writer, rules: RemoteRules, doors: Doors): Route[] {
  const paths = ['/api/v1/write', '/api/v1/push'];
  const door = doors.open('prometheus', paths);
  const dialect = countedDialect(door, { authorization, refuse });
  return paths.map((path) => ({
    method: 'POST',
    path,
    interface: 'writer',
    scope: 'write',
    summary: 'Write as Prometheus does',
    body: { schema: eventValue, optional: true, anyType: true, isSnappy: true },
    dialect,
    async handle(call) {
      const { contentType, body, reservation } = call;
      const version = versionOf(contentType);
      const series = await writer.series.writeFitting(writeCall(call), body.length, (refuses) =>
        remoteWriteSteps(body, version, { ...rules, refuses }, reservation),
      );
      door.took(series, series.read.refused.counts);
      const answer = seriesAnswer(204, series);
      if (version === 1) return answer;
      const told = {
        'X-Prometheus-Remote-Write-Samples-Written': String(series.read.values),
        'X-Prometheus-Remote-Write-Histograms-Written': '0',
        'X-Prometheus-Remote-Write-Exemplars-Written': '0',
      };
      return { ...answer, headers: { ...answer.headers, ...told } };
    },
  }));
}

/** Version 2 is named in the media type (its specification, "Protocol"). */
function versionOf(contentType = ''): 1 | 2 {
  return /;\s*proto="?io\.prometheus\.write\.v2\.Request"?\s*(?:;|$)/i.test(contentType) ? 2 : 1;
}

const refuse = refusePlain(({ status }) => {
  if (status === 401) return 401;
  return status >= 500 || status === 408 ? 503 : 400;
});
