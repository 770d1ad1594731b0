import type { TagPair } from '../../domain/tags.ts';
import { PitwallError } from '../../errors.ts';
import type { Doors } from '../../ingest/doors.ts';
import type { Writer } from '../../ingest/writer.ts';
import type { LabelRules } from '../../wire/labelled-series.ts';
import { prometheusTextSteps } from '../../wire/prometheus-text.ts';
import type { Call, Route } from '../route.ts';
import { eventValue } from '../schemas/written-data.ts';
import { countedDialect } from './counted-dialect.ts';
import { authorization } from './door-access.ts';
import { laterIs503, refusePlain, seriesAnswer } from './plain-answers.ts';
import { heardCall } from './write-call.ts';

/**
 * The Pushgateway's address of a group (its documentation, "API"): the labels of all metrics of the body stand in it, each
 * name followed by its value, which is in base64 where `@base64` stands behind the name:
 *
 *   /metrics/job/JOB[/LABEL/VALUE…]     /metrics/job@base64/Sk9C/LABEL@base64/VkFMVUU
 *
 * A push is written at its arrival. POST and PUT do the same: what was written before stays.
 */
export function pushgateway(writer: Writer, rules: LabelRules, doors: Doors, now: () => number): Route[] {
  const door = doors.open('pushgateway', ['/metrics/job/…']);
  const dialect = countedDialect(door, { authorization, refuse: refusePlain(laterIs503) });
  const handle = async (call: Call, jobLabel: string) => {
    const { body, reservation, contentType = '' } = call;
    if (/protobuf/i.test(contentType))
      throw new PitwallError('unsupported_media_type', {
        detail: 'a push must be text in the format of Prometheus, not protobuf',
      });
    const textRules = {
      ...rules,
      labels: labelsOf([jobLabel, call.params['job'] ?? '', ...(call.params['*'] ?? '').split('/')]),
      now: now(),
      isOpenMetrics: /openmetrics/i.test(contentType),
    };
    const heard = heardCall(call);
    const read = () => prometheusTextSteps(body, textRules, reservation);
    const series = await writer.series(heard.call, body, read);
    door.took(series.rows, series.read.refused.counts);
    return seriesAnswer(200, series, heard.warning());
  };
  return (['POST', 'PUT'] as const).flatMap((method) =>
    ['job', `job${inBase64}`].flatMap((jobLabel) =>
      ['', '/*'].map(
        (end): Route => ({
          method,
          path: `/metrics/${jobLabel}/:job${end}`,
          interface: 'writer',
          scope: 'write',
          summary: 'Push metrics as to a Pushgateway',
          body: { schema: eventValue, optional: true, anyType: true },
          dialect,
          handle: (call) => handle(call, jobLabel),
        }),
      ),
    ),
  );
}

const inBase64 = '@base64';

/** Labels of the parts of an address, names and values in turn. */
function labelsOf(parts: readonly string[]): TagPair[] {
  const given = parts.at(-1) === '' ? parts.slice(0, -1) : parts;
  const labels: TagPair[] = [];
  for (let i = 0; i < given.length; i += 2) {
    const name = given[i]!;
    const value = given[i + 1];
    if (name === '' || value === undefined)
      throw new PitwallError('bad_request', {
        detail: `the address must have labels and values in turn behind /metrics: ${name === '' ? 'one has no name' : `${name} has no value`}`,
      });
    labels.push(
      name.endsWith(inBase64) ? [name.slice(0, -inBase64.length), decoded(name, value)] : [name, value],
    );
  }
  return labels;
}

/** Base64 of addresses, or of the usual letters; `=` is the empty text. */
function decoded(name: string, value: string): string {
  const bytes = Buffer.from(value, 'base64url');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(value))
    throw new PitwallError('bad_request', { detail: `the value of ${name} is not base64` });
  return bytes.toString();
}
