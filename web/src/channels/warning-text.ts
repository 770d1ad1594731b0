/** A parameter of a query that no open run has, as the service tells it. */
interface UnknownChannel {
  /** Both names in quotes. */
  readonly name: string;
  readonly nearest: string | undefined;
  /** Where what is nearest is no number. */
  readonly nearestKind: string | undefined;
}

const name = String.raw`"(?:[^"\\]|\\.)*"`;
const kind = '(?:numeric parameter|string parameter|binary parameter|event)';
const sentence = new RegExp(
  `No selected stream has the ${kind} (${name})(?:; the nearest is (?:the (${kind}) )?(${name}))?\\.`,
  'g',
);

/** What other kinds of values are called on the page. */
const kindWords: Readonly<Record<string, string>> = {
  'string parameter': ', which is text',
  'binary parameter': ', which is binary',
  event: ', which is an event',
};

/**
 * What the service warns of, as it is to be said to who chose channels: what is amiss with them, and what to do.
 *
 * @param isAmiss whether something is, with the channel of which `isNamed` is true
 */
export function warningText(
  warning: string,
  isAmiss: (isNamed: (channel: string) => boolean) => boolean,
): string {
  return reworded(warning, ({ name, nearest, nearestKind }) => {
    if (!isAmiss((channel) => isExcerpt(name, channel))) return '';
    const amiss = `The channel ${name} was chosen, and no open run has it as numbers.`;
    const advice = 'Choose another under Channels, or remove it from its plot';
    return nearest === undefined
      ? `${amiss} ${advice}.`
      : `${amiss} ${advice}; the nearest is ${nearest}${wordOf(nearestKind)}.`;
  });
}

/** The same to who writes an expression. */
export function unknownOperandText(warning: string): string {
  return reworded(warning, ({ name, nearest, nearestKind }) =>
    nearest === undefined
      ? `No open run has ${name} as numbers.`
      : `No open run has ${name} as numbers; the nearest is ${nearest}${wordOf(nearestKind)}.`,
  );
}

function wordOf(kind: string | undefined): string {
  return kind === undefined ? '' : (kindWords[kind] ?? '');
}

function reworded(warning: string, say: (unknown: UnknownChannel) => string): string {
  return warning
    .replace(sentence, (_, name: string, nearestKind: string | undefined, nearest: string | undefined) =>
      say({ name, nearest, nearestKind }),
    )
    .trim();
}

/** Whether the service writes this name so: in quotes, and cut where it is long. */
function isExcerpt(written: string, channel: string): boolean {
  const text = JSON.parse(written) as string;
  return text === channel || (text.endsWith('…') && channel.startsWith(text.slice(0, -1)));
}
