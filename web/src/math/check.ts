import { signal } from '@preact/signals';
import { type Client, RequestError } from '../../../src/client/client.ts';
import { hasNumbers } from '../channels/parameter-entry.ts';
import { openParameters } from '../channels/parameters.ts';
import { unknownOperandText } from '../channels/warning-text.ts';
import { channelParts, tagParts, unfolded } from '../lines/expression.ts';
import { clientWith } from '../session.ts';
import { byTopic } from '../state/by-topic.ts';
import type { MathChannel } from '../state/math-text.ts';
import { math, streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { loaded } from '../ui/loading.ts';
import { type Flaw, flawFrom } from './flaw.ts';
import { knownTags } from './known-tags.ts';

/** What the service says of an expression. */
export interface Check {
  readonly channel: MathChannel;
  /** Why it cannot be plotted. */
  readonly flaw: Flaw | undefined;
  /** A name, of a channel or a tag, that no open run has. It is plotted all the same: it may be written later. */
  readonly unknown: Flaw | undefined;
}

/** The channel to check: as it is typed, after a moment of rest. */
export const asked = signal<MathChannel | undefined>(undefined);

/** The check of what was asked last; the one before is ended. */
export const checked = loaded<Check>(() => {
  const channel = asked.value;
  const open = streams.value;
  if (channel === undefined || channel.expression.trim() === '' || open.length === 0) return undefined;
  return (signal) => checkExpression(channel, open, signal);
});

/** No row is so old: the service looks at the expression, and reads nothing. */
const longAgo = -(2n ** 63n);

async function checkExpression(
  channel: MathChannel,
  open: readonly StreamRef[],
  signal: AbortSignal,
): Promise<Check> {
  const { name, expression } = channel;
  const others = math.peek().filter((other) => other.name !== name);
  const expressionOf = (other: string) => others.find((known) => known.name === other)?.expression;
  let warning = '';
  const service = clientWith((text) => {
    warning = text;
  });
  const flaw = (await flawOf(service, expression, open, signal)) ?? circleOf(channel, expressionOf);
  if (flaw !== undefined) return { channel, flaw, unknown: undefined };
  const whole = unfolded(expression, expressionOf);
  if (whole !== expression) {
    // What it names makes it longer: too long, maybe.
    const found = await flawOf(service, whole, open, signal);
    const message = found && `with the channels that it names put in place, it ${found.message}`;
    if (message !== undefined) return { channel, flaw: { place: undefined, message }, unknown: undefined };
  }
  return { channel, flaw: undefined, unknown: unknownIn(expression, warning) };
}

/** What the service does not understand. */
async function flawOf(
  service: Client,
  expression: string,
  open: readonly StreamRef[],
  signal: AbortSignal,
): Promise<Flaw | undefined> {
  const calculatedParameters = [{ name: 'checked', expression }];
  const query = { calculatedParameters, from: longAgo, to: longAgo, limit: 1 };
  try {
    await Promise.all(byTopic(open).map((place) => service.page({ ...place, ...query }, { signal })));
    return undefined;
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 400) throw error;
    return flawFrom(error.errors[0]?.message ?? error.message, expression);
  }
}

/** A channel that is worked out from itself. */
function circleOf(
  { name, expression }: MathChannel,
  expressionOf: (name: string) => string | undefined,
): Flaw | undefined {
  const leadsBack = (text: string, seen: readonly string[]): boolean =>
    channelParts(text).some((part) => {
      if (part.text === name) return true;
      const own = seen.includes(part.text) ? undefined : expressionOf(part.text);
      return own !== undefined && leadsBack(own, [...seen, part.text]);
    });
  const isWritten = (openParameters.peek().value ?? []).some(({ id, isOfView }) => id === name && !isOfView);
  const part = channelParts(expression).find(({ text }) => {
    if (text === name) return !isWritten;
    const own = expressionOf(text);
    return own !== undefined && leadsBack(own, [text]);
  });
  return (
    part && { place: part, message: `“${part.text}” is worked out from “${name}”: that goes in a circle` }
  );
}

/** The first name that no open run has; the service's warning knows the nearest one. */
function unknownIn(expression: string, warning: string): Flaw | undefined {
  const known = new Set((openParameters.peek().value ?? []).filter(hasNumbers).map(({ id }) => id));
  const part = channelParts(expression).find(({ text }) => !known.has(text));
  if (part === undefined) return unknownTagIn(expression);
  const message = warning.includes(JSON.stringify(part.text))
    ? unknownOperandText(warning)
    : `No open run has “${part.text}” as numbers.`;
  return { place: part, message };
}

/** The first tag that no open run has, where their tags are known. */
function unknownTagIn(expression: string): Flaw | undefined {
  const known = knownTags.peek().value;
  const part = known && tagParts(expression).find(({ text }) => !known.includes(text));
  if (part === undefined) return undefined;
  const others = known!.length === 0 ? 'they have none' : `they have ${known!.slice(0, 5).join(', ')}`;
  return { place: part, message: `No open run has the tag “${part.text}”: ${others}.` };
}
