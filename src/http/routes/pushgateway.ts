import type { TagPair } from '../../domain/tags.ts';
import { PitwallError } from '../../errors.ts';
import type { Doors } from '../../ingest/doors.ts';
import type { Writer } from '../../ingest/writer.ts';
import type { LabelRules } from '../../wire/series/labelled-series.ts';
import { prometheusProtobufSteps } from '../../wire/series/prometheus-protobuf.ts';
import { prometheusTextSteps } from '../../wire/series/prometheus-text.ts';
import { sampleTime } from '../../wire/series/sample-time.ts';
import type { Call, Route } from '../route.ts';
import { eventValue } from '../schemas/written-data.ts';
import { countedDialect } from './counted-dialect.ts';
import { authorization } from './door-access.ts';
import { laterIs503, refusePlain, seriesAnswer } from './plain-answers.ts';
import { writeCall } from './write-call.ts';

/**
 * The Pushgateway's address of a group (its documentation, "API"): the labels of all metrics of the body stand in it, each
 * name followed by its value, which is in base64 where `@base64` stands behind the name:
 *
 *   /metrics/job/JOB[/LABEL/VALUE…]     /metrics/job@base64/Sk9C/LABEL@base64/VkFMVUU
 *
 * A push is written at its arrival. POST and PUT do the same: what was written before stays, and so it does where a group
 * is deleted.
 */
export function pushgateway(
  writer: Writer,
  rules: LabelRules,
  doors: Doors,
  nextTime: () => bigint,
): Route[] {
  const door = doors.open('pushgateway', ['/metrics/job/…']);
  const dialect = countedDialect(door, { authorization, refuse: refusePlain(laterIs503) });
  const handle = async (call: Call, jobLabel: string) => {
    const { body, reservation, contentType = '' } = call;
    const pushRules = { ...rules, labels: groupOf(call, jobLabel), now: sampleTime(nextTime()) };
    const isOpenMetrics = /openmetrics/i.test(contentType);
    const steps = isProtobuf(contentType)
      ? prometheusProtobufSteps(body, pushRules, reservation)
      : prometheusTextSteps(body, { ...pushRules, isOpenMetrics }, reservation);
    const series = await writer.series.write(writeCall(call), body.length, steps);
    door.took(series, series.read.refused.counts);
    return seriesAnswer(200, series);
  };
  const common = { interface: 'writer', scope: 'write', dialect } as const;
  const body = { schema: eventValue, optional: true, anyType: true };
  return ['job', `job${inBase64}`].flatMap((jobLabel) =>
    ['', '/*'].flatMap((end): Route[] => {
      const path = `/metrics/${jobLabel}/:job${end}`;
      const summary = 'Push metrics as to a Pushgateway';
      const push = { ...common, path, summary, body, handle: (call: Call) => handle(call, jobLabel) };
      return [
        { ...push, method: 'POST' },
        { ...push, method: 'PUT' },
        {
          ...common,
          path,
          method: 'DELETE',
          summary: 'End a group of a Pushgateway',
          handle(call) {
            groupOf(call, jobLabel);
            return { status: 202 };
          },
        },
      ];
    }),
  );
}

/** Messages of metrics one after the other. Throws `unsupported_media_type` for others. */
function isProtobuf(contentType: string): boolean {
  if (!/protobuf/i.test(contentType)) return false;
  const [, coding = 'delimited'] = /encoding="?([\w-]+)/i.exec(contentType) ?? [];
  if (coding.toLowerCase() === 'delimited') return true;
  throw new PitwallError('unsupported_media_type', {
    detail: `a push in protobuf must be delimited messages, not ${coding}`,
  });
}

/** The labels of a group, as its address has them. */
function groupOf({ params }: Call, jobLabel: string): TagPair[] {
  return labelsOf([jobLabel, params['job'] ?? '', ...(params['*'] ?? '').split('/')]);
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
