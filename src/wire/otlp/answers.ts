import { message } from '../../protobuf/wire-writer.ts';

/** The media types of OTLP over HTTP (opentelemetry.io/docs/specs/otlp, "OTLP/HTTP"). */
export const otlpTypes = { protobuf: 'application/x-protobuf', json: 'application/json' } as const;
export type OtlpForm = keyof typeof otlpTypes;

/** The form that a Content-Type names; undefined for another one. */
export function otlpForm(contentType = ''): OtlpForm | undefined {
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  return type === otlpTypes.protobuf ? 'protobuf' : type === otlpTypes.json ? 'json' : undefined;
}

/**
 * ExportMetricsServiceResponse: 1 partial_success (1 rejected_data_points, 2 error_message).
 *
 * @param text what is wrong with points that were rejected; where none was, what their writer should know
 */
export function exportAnswer(form: OtlpForm, rejected: number, text: string | undefined): Buffer {
  if (form === 'json') {
    const partialSuccess = { rejectedDataPoints: String(rejected), errorMessage: text };
    return Buffer.from(JSON.stringify(text === undefined ? {} : { partialSuccess }));
  }
  if (text === undefined) return Buffer.alloc(0);
  const partial =
    rejected === 0
      ? message([[2, text]])
      : message([
          [1, rejected],
          [2, text],
        ]);
  return message([[1, partial]]);
}

/** Status (google/rpc/status.proto): 1 code, 2 message. */
export function statusAnswer(form: OtlpForm, code: number, text: string): Buffer {
  if (form === 'json') return Buffer.from(JSON.stringify({ code, message: text }));
  return message([
    [1, code],
    [2, text],
  ]);
}
