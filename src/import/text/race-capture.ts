/** A header of RaceCapture: `"Interval"|"ms"|0|0|1`, the name, the unit, the least and the most value and the rate. */
const headerForm = /^"?([^"|]+)"?\|"?([^"|]*)"?\|-?[\d.]+\|-?[\d.]+\|\d+$/;

export interface NameAndUnit {
  readonly name: string;
  readonly unit: string;
}

/** Undefined for a header of another form. */
export function raceCaptureHeader(header: string): NameAndUnit | undefined {
  if (!header.includes('|')) return undefined;
  const [, name, unit = ''] = headerForm.exec(header.trim()) ?? [];
  return name === undefined ? undefined : { name, unit };
}

/** The names and units of a row of headers that are all of this form. */
export function raceCaptureHeaders(headers: readonly string[]): readonly NameAndUnit[] | undefined {
  const found: NameAndUnit[] = [];
  for (const header of headers) {
    const one = raceCaptureHeader(header);
    if (one === undefined) return undefined;
    found.push(one);
  }
  return found.length === 0 ? undefined : found;
}
