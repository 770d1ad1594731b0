import { PitwallError } from '../../errors.ts';
import type { Doors } from '../../ingest/doors.ts';
import type { Writer } from '../../ingest/writer.ts';
import { exportAnswer, type OtlpForm, otlpForm, otlpTypes, statusAnswer } from '../../wire/otlp/answers.ts';
import { jsonSteps } from '../../wire/otlp/json.ts';
import type { OtlpRules } from '../../wire/otlp/points.ts';
import { protobufSteps } from '../../wire/otlp/protobuf.ts';
import type { Refused } from '../../wire/series/refused.ts';
import { type Answer, type Dialect, type Route, written } from '../route.ts';
import { eventValue } from '../schemas/written-data.ts';
import { countedDialect } from './counted-dialect.ts';
import { authorization, challengesFor } from './door-access.ts';
import { writeCall } from './write-call.ts';

/**
 * Metrics of OTLP over HTTP, in protobuf and JSON. Exporters send again what gets 429, 502, 503 or 504, those of JavaScript
 * for ten seconds in all; what gets anything else they throw away. So what may be taken later is 503, and comes again soon.
 */
export function otlpMetrics(writer: Writer, rules: OtlpRules, doors: Doors): Route {
  const door = doors.open('otlp', ['/v1/metrics']);
  return {
    method: 'POST',
    path: '/v1/metrics',
    interface: 'writer',
    scope: 'write',
    summary: 'Write metrics as OpenTelemetry does',
    body: { schema: eventValue, optional: true, anyType: true },
    dialect: countedDialect(door, { authorization, refuse }),
    async handle(call) {
      const { contentType, body, reservation } = call;
      const form = otlpForm(contentType);
      if (form === undefined) throw wrongType(contentType);
      const steps = form === 'json' ? jsonSteps : protobufSteps;
      const series = await writer.series.writeFitting(writeCall(call), body.length, (refuses) =>
        steps(body, { ...rules, refuses }, reservation),
      );
      const { refused } = series.read;
      door.took(series, refused.counts);
      return {
        ...bytes(form, exportAnswer(form, refused.total, toldOf(refused, series.warning))),
        headers: { ...written(series).headers },
      };
    },
  };
}

/** What a writer is told; undefined where all is well. */
function toldOf({ total, first, notes }: Refused, warning: string | undefined): string | undefined {
  const refused = first && `${total} points were not written: ${first}`;
  const told = [refused, ...notes.values(), warning].filter((text) => text !== undefined);
  return told.length === 0 ? undefined : told.join('; ');
}

function wrongType(contentType: string | undefined): PitwallError {
  const types = Object.values(otlpTypes).join(' or ');
  return new PitwallError('unsupported_media_type', {
    detail: `the Content-Type must be ${types}${contentType ? `, not ${contentType}` : ''}`,
  });
}

/** A request of no form of OTLP gets JSON, which anybody can read. */
const refuse: Dialect['refuse'] = (error, headers) => {
  const status = error.status >= 500 || error.status === 408 ? 503 : error.status;
  const form = otlpForm(headers['content-type']) ?? 'json';
  return {
    ...bytes(form, statusAnswer(form, codes[status] ?? invalid, `${error.code}: ${error.message}`)),
    status,
    ...(status === 401 && { challenges: challengesFor(headers) }),
    ...(status === 503 && {
      headers: { 'Retry-After': String(Math.min(error.retryAfter ?? 1, longestWait)) },
    }),
  };
};

/** Seconds: exporters of JavaScript have given up after a longer one. */
const longestWait = 2;

/** Codes of google.rpc. */
const invalid = 3;
const codes: Readonly<Record<number, number>> = { 401: 16, 403: 7, 503: 14 };

function bytes(form: OtlpForm, body: Buffer): Answer {
  return { type: otlpTypes[form], chunks: [body] };
}
