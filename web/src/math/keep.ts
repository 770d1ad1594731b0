import { computed } from '@preact/signals';
import type { ParameterEntry } from '../channels/parameter-entry.ts';
import { listedParameters } from '../channels/parameters.ts';
import { unfolded } from '../lines/expression.ts';
import { client } from '../session.ts';
import { byTopic } from '../state/by-topic.ts';
import type { MathChannel } from '../state/math-text.ts';
import { math, show, streams, view } from '../state/view.ts';
import { withoutChannel } from './arranged.ts';

/** The topic that channels can be kept for; undefined where the open runs are of several. */
export const keepingTopic = computed(() => {
  const [first, ...others] = byTopic(streams.value);
  return others.length === 0 ? first?.topic : undefined;
});

/** Keeps a channel for the topic, for all who read it. Others of the view that it names are put in place. */
export async function keep(topic: string, { name, expression, unit }: MathChannel): Promise<void> {
  const expressionOf = (other: string) => math.peek().find((known) => known.name === other)?.expression;
  await client
    .peek()!
    .defineCalculated(topic, [{ id: name, expression: unfolded(expression, expressionOf, [name]), unit }]);
  show({ math: math.peek().filter((channel) => channel.name !== name) }, 'settle');
  listedParameters.peek().retry();
}

/** Takes a channel away: from the view, or from its topic for all. */
export async function remove({ id, isOfView }: ParameterEntry, topic: string | undefined): Promise<void> {
  if (!isOfView && topic !== undefined) {
    await client.peek()!.removeCalculated(topic, id);
    listedParameters.peek().retry();
  }
  show(withoutChannel(view.peek(), id));
}
