import type { Alert, AlertChange, AlertFilter, AlertRule, AlertRuleInfo, AlertTest } from './alert-models.ts';
import { has } from './answers.ts';
import { jsonRequests } from './json-requests.ts';
import type { CalculatedDefinition } from './models.ts';
import { pathStep, topicPath } from './paths.ts';
import type { RequestOptions, Transport } from './transport.ts';

/** Calls of what is kept for a topic: alert rules, and calculated parameters. */
export interface TopicCalls {
  /** What fires now, and rules that could not be evaluated. */
  alerts(filter?: AlertFilter, options?: RequestOptions): Promise<Alert[]>;
  /** What a rule would have said of stored rows, in order of time. */
  testAlertRule(
    topic: string,
    name: string,
    test: AlertTest,
    options?: RequestOptions,
  ): Promise<AlertChange[]>;
  alertRules(topic: string, options?: RequestOptions): Promise<AlertRuleInfo[]>;
  /** The calculated parameters that a topic keeps, in order of id. */
  calculated(topic: string, options?: RequestOptions): Promise<CalculatedDefinition[]>;
  /** Merges calculated parameters into those of a topic. */
  defineCalculated(
    topic: string,
    definitions: readonly CalculatedDefinition[],
    options?: RequestOptions,
  ): Promise<void>;
  removeCalculated(topic: string, id: string, options?: RequestOptions): Promise<void>;
  /** Makes an alert rule, or replaces it; needs the scope admin, as the other calls of rules do. */
  putAlertRule(topic: string, name: string, rule: AlertRule, options?: RequestOptions): Promise<void>;
  removeAlertRule(topic: string, name: string, options?: RequestOptions): Promise<void>;
}

export function topicCalls(transport: Transport): TopicCalls {
  const { read, list, change, write, remove } = jsonRequests(transport);
  const calculatedPath = (topic: string) => `${topicPath(topic)}/calculated`;
  const alertPath = (topic: string, name: string) => `${topicPath(topic)}/alerts/${pathStep('name', name)}`;

  return {
    async alerts(filter = {}, options) {
      return (await read<(Alert & WireTime)[]>('/alerts', filter, options)).map(withTime);
    },
    async testAlertRule(topic, name, test, options) {
      const path = `${alertPath(topic, name)}/test`;
      return (await read<(AlertChange & WireTime)[]>(path, test, options)).map(withTime);
    },
    alertRules: async (topic, options) => list(`${topicPath(topic)}/alerts`, options),
    calculated: async (topic, options) => list(calculatedPath(topic), options),
    defineCalculated: async (topic, definitions, options) =>
      write('PUT', calculatedPath(topic), definitions, options),
    removeCalculated: async (topic, id, options) =>
      remove(`${calculatedPath(topic)}/${pathStep('id', id)}`, options),
    async putAlertRule(topic, name, rule, options) {
      await change('PUT', alertPath(topic, name), rule, has('name', 'expression'), options);
    },
    removeAlertRule: async (topic, name, options) => remove(alertPath(topic, name), options),
  };
}

interface WireTime {
  readonly timestamp?: string | bigint;
}

/** The time as a bigint, where there is one. */
function withTime<Item extends WireTime>(item: Item): Item & { timestamp: bigint } {
  const { timestamp } = item;
  return (timestamp === undefined ? item : { ...item, timestamp: BigInt(timestamp) }) as Item & {
    timestamp: bigint;
  };
}
