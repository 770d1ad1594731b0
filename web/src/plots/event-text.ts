type Tags = Readonly<Record<string, string>>;

/** What events of alert rules begin with: docs/alerts.md says what is in them. */
const ofAlerts = 'alert:';

const states: Readonly<Record<string, string>> = {
  firing: 'fires',
  resolved: 'is over',
  ahead: 'left out rows that are ahead of the clock',
};

interface AlertValue {
  readonly values?: Readonly<Record<string, number | null>>;
  readonly noData?: boolean;
  readonly rowTime?: string;
}

/** What an event says, in words where it is one of an alert rule. */
export function eventText(id: string, value: string, tags: Tags): string {
  const state = id.startsWith(ofAlerts) ? states[tags['state'] ?? ''] : undefined;
  const known = state === undefined ? undefined : alertValue(value);
  if (state === undefined || known === undefined) return value;
  const { values = {}, noData = false, rowTime } = known;
  const said = [
    ...(noData ? ['no rows came'] : []),
    ...(rowTime === undefined ? [] : [`the last of ${rowTime}`]),
    ...Object.entries(values).map(([name, own]) => `${name} ${own ?? 'without a value'}`),
  ];
  return said.length === 0 ? state : `${state}: ${said.join(', ')}`;
}

/** Whether it says that an alert is over: it has no colour of a warning. */
export function isOver(id: string, tags: Tags): boolean {
  return id.startsWith(ofAlerts) && tags['state'] === 'resolved';
}

function alertValue(text: string): AlertValue | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
