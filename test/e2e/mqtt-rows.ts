import { type RunningService, send } from './service.ts';

/** Where a service takes MQTT. */
export function mqttUrlOf(service: Pick<RunningService, 'stdout'>): string {
  const line = /^pitwall mqtt listening on (\S+)$/m.exec(service.stdout());
  if (line === null) throw new Error(`the service takes no MQTT: ${service.stdout()}`);
  return line[1]!;
}

interface Asked {
  readonly topic: string;
  readonly name: string;
  readonly groupBy?: readonly string[];
}

/** All values of a parameter of a topic, numbers or texts. */
export async function mqttRows(url: string, { topic, name, groupBy = [] }: Asked) {
  const body = JSON.stringify({
    topic,
    numericParameters: [{ parameterName: name }],
    stringParameters: [{ parameterName: name }],
    groupBy,
  });
  const reply = await send(url, '/parameters/data?int64=string', { body });
  if (reply.status !== 200) return [];
  const { timestamps, numericValues, stringValues, tagValues } = reply.json<{
    timestamps: string[];
    numericValues: Record<string, (number | null)[]>;
    stringValues: Record<string, (string | null)[]>;
    tagValues: Record<string, (string | null)[]>;
  }>();
  return timestamps.map((time, i) => ({
    time,
    value: numericValues[name]?.[i] ?? stringValues[name]?.[i] ?? null,
    tags: groupBy.map((tag) => tagValues[tag]?.[i] ?? undefined),
  }));
}
