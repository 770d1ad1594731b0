import { whole } from '../../../src/turns/steps.ts';
import { jsonSteps } from '../../../src/wire/otlp/json.ts';
import { KnownAttributes } from '../../../src/wire/otlp/known-attributes.ts';
import type { OtlpRules } from '../../../src/wire/otlp/points.ts';
import { protobufSteps } from '../../../src/wire/otlp/protobuf.ts';
import { defaultPayloadLimits } from '../../payload-limits.ts';
import { plainRows } from '../payloads.ts';
import { otlpProtobuf } from './messages.ts';

export const otlpRules = (): OtlpRules => ({
  topic: ['service.namespace', 'service.name'],
  stream: ['service.instance.id', 'host.name', 'service.name'],
  limits: defaultPayloadLimits,
  known: new KnownAttributes(),
});

/** Reads a request in both forms. */
export const otlpForms = {
  protobuf: (request: object, given = otlpRules()) => whole(protobufSteps(otlpProtobuf(request), given)),
  json: (request: object, given = otlpRules()) =>
    whole(jsonSteps(Buffer.from(JSON.stringify(request)), given)),
};

/** By place: time in ns, tags and values of each row. */
export const rowsOf = ({ streams }: ReturnType<typeof otlpForms.json>) =>
  Object.fromEntries(
    streams.map(({ topic, streamId, rows }) => [
      `${topic}/${streamId}`,
      plainRows(rows).map(({ time, tags, values }) => [
        String(time),
        Object.fromEntries(JSON.parse(tags) as [string, string][]),
        Object.fromEntries(Object.entries(values).map(([name, value]) => [name.slice(2), value])),
      ]),
    ]),
  );

/** Values of a parameter by its tag of this name. */
export const byTag = (read: ReturnType<typeof otlpForms.json>, name: string, tag: string) =>
  Object.values(rowsOf(read))
    .flat()
    .flatMap(([, tags, values]) => {
      const value = (values as Record<string, number>)[name];
      return value === undefined ? [] : [[(tags as Record<string, string>)[tag], value]];
    });
