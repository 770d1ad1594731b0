/**
 * Values of attributes as text (opentelemetry.io/docs/specs/otel/common, "AnyValue representation for non-OTLP protocols"):
 * texts as they are, bytes in base64, numbers and truth as JSON writes them, lists and maps as JSON. Within those, what is
 * no JSON stands in quotes.
 */
export function numberText(value: number, isWithin: boolean): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
  return isWithin ? `"${value}"` : String(value);
}

/** A text, or bytes in base64. */
export function textText(value: string, isWithin: boolean): string {
  return isWithin ? JSON.stringify(value) : value;
}

export function listText(elements: readonly string[]): string {
  return `[${elements.join(',')}]`;
}

/** @param members names and texts of values */
export function mapText(members: readonly (readonly [name: string, text: string])[]): string {
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

/** The most levels of lists and maps within others. */
export const deepestValue = 32;
