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

/** What a topic keeps under a name. */
export interface Kept {
  readonly expression: string;
  readonly unit?: string;
}

/** Somebody else has changed what the topic keeps under the name; nothing was written. */
export class ChannelChanged extends Error {
  /** Undefined where it was removed. */
  readonly now: Kept | undefined;

  constructor(now: Kept | undefined) {
    super(
      now === undefined
        ? 'Somebody else has removed this channel meanwhile. Nothing was written: save again to keep it anew.'
        : `Somebody else has kept “${now.expression}” under this name meanwhile. Nothing was written: save again to replace it.`,
    );
    this.now = now;
  }
}

/**
 * Keeps a channel for the topic, for all who read it. Others of the view that it names are put in place. Throws ChannelChanged
 * where the topic does not keep what was seen.
 */
export async function keep(
  topic: string,
  { name, expression, unit }: MathChannel,
  seen: Kept | undefined,
): Promise<void> {
  const service = client.peek()!;
  const expressionOf = (other: string) => math.peek().find((known) => known.name === other)?.expression;
  const own = { id: name, expression: unfolded(expression, expressionOf, [name]), unit };
  const now = (await service.calculated(topic)).find(({ id }) => id === name);
  // It may have been written, and the answer lost.
  if (!isSame(now, seen) && !isSame(now, own)) throw new ChannelChanged(now);
  await service.defineCalculated(topic, [own]);
  show({ math: math.peek().filter((channel) => channel.name !== name) }, 'settle');
  listedParameters.peek().retry();
}

function isSame(one: Kept | undefined, other: Kept | undefined): boolean {
  return one?.expression === other?.expression && (one?.unit ?? '') === (other?.unit ?? '');
}

/** Takes a channel away: from the view, or from its topic for all. */
export async function remove({ id, isOfView }: ParameterEntry, topic: string | undefined): Promise<void> {
  if (!isOfView && topic !== undefined) {
    await client.peek()!.removeCalculated(topic, id);
    listedParameters.peek().retry();
  }
  show(withoutChannel(view.peek(), id));
}
