import { edited } from '../channels/edited.ts';
import { listedParameters } from '../channels/parameters.ts';
import { channelParts } from '../lines/expression.ts';
import { client } from '../session.ts';
import { parseView } from '../state/view-text.ts';
import { loaded } from '../ui/loading.ts';
import { keepingTopic } from './keep.ts';

/** Who uses the kept channel that is being edited: other kept ones, saved views and alert rules of the topic. */
export const uses = loaded<readonly string[]>(() => {
  const service = client.value;
  const entry = edited.value?.entry;
  const topic = keepingTopic.value;
  if (service === undefined || topic === undefined || entry === undefined || entry.isOfView) return undefined;
  const { id } = entry;
  const channels = (listedParameters.value.value ?? [])
    .filter((other) => other.id !== id && names(other.expression, id))
    .map((other) => `channel ${other.name}`);
  return async (signal) => {
    const saved = await service.views({ topic }, { signal });
    const views = saved.filter(({ state }) => shows(state, id)).map(({ name }) => `view “${name}”`);
    // Only an admin may see them.
    const rules = await service.alertRules(topic, { signal }).catch(() => []);
    const alerts = rules
      .filter(({ expression = '', clear = '' }) => names(expression, id) || names(clear, id))
      .map(({ name }) => `alert rule ${name}`);
    return [...channels, ...views, ...alerts];
  };
});

function names(expression: string, id: string): boolean {
  return channelParts(expression).some(({ text }) => text === id);
}

/** Whether what the page keeps of a view names a channel. */
export function shows(state: unknown, id: string): boolean {
  if (typeof state !== 'object' || state === null || !('explorer' in state)) return false;
  const { plots, xy, alignBy, math } = parseView(String(state.explorer));
  return (
    [...plots.flat(), ...xy, alignBy].includes(id) || math.some(({ expression }) => names(expression, id))
  );
}
