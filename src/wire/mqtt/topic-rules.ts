/**
 * Rules for messages of MQTT: which topics have payloads in which form, and what their levels say.
 *
 *   form:template     such as value:{topic}/{stream}/{parameter}
 *
 * In a template `{topic}` is one level or more (one level where it ends with #), `{stream}` and `{parameter}` are
 * one, + is one that says nothing, and # is any that are left; everything else stands for itself. The first rule that
 * fits counts.
 */
export const messageForms = ['json', 'value', 'line', 'collectd', 'sparkplug'] as const;
export type MessageForm = (typeof messageForms)[number];

/** What counts after the rules of the operator. */
export const usualRules: readonly string[] = [
  'sparkplug:spBv1.0/#',
  'collectd:collectd/{stream}/#',
  'line:telegraf/#',
  'json:{topic}/{stream}',
  'json:{stream}',
  'value:{topic}/{stream}/{parameter}',
  'value:{stream}/{parameter}',
  'value:{parameter}',
];

/** Where messages go whose topic names none of ours. */
const otherTopic = 'mqtt';

type Level = 'topic' | 'stream' | 'parameter' | 'any' | { readonly text: string };

export interface TopicRule {
  readonly form: MessageForm;
  readonly levels: readonly Level[];
  /** It ends with #. */
  readonly hasRest: boolean;
  /** The levels at its beginning that stand for themselves: the topic, where none is named. */
  readonly begin: string;
}

/** What the topic of a message says. */
export interface MessagePlace {
  readonly form: MessageForm;
  readonly topic: string;
  /** Undefined where no level says it. */
  readonly stream: string | undefined;
  readonly parameter: string | undefined;
  /** The levels for which # stands. */
  readonly rest: readonly string[];
}

/** Throws an Error, whose message goes on after the name of the setting. */
export function topicRule(text: string): TopicRule {
  const [, form = '', template = ''] = /^([^:]*):(.*)$/.exec(text) ?? [];
  const known = messageForms.find((one) => one === form);
  if (known === undefined || template === '')
    throw new Error(
      `must be form:template, with one of ${messageForms.join(', ')} as the form, not '${text}'`,
    );
  const parts = template.split('/');
  const hasRest = parts.at(-1) === '#';
  const levels = (hasRest ? parts.slice(0, -1) : parts).map((part) => levelOf(part, text));
  for (const name of ['topic', 'stream', 'parameter'] as const)
    if (levels.filter((level) => level === name).length > 1)
      throw new Error(`may have {${name}} once only, not as in '${text}'`);
  if (known === 'value' && !levels.includes('parameter'))
    throw new Error(`must name the {parameter} of a value, not as in '${text}'`);
  const first = levels.findIndex((level) => typeof level === 'string');
  const begin = (first < 0 ? levels : levels.slice(0, first)).map(
    (level) => (level as { text: string }).text,
  );
  return { form: known, levels, hasRest, begin: begin.join('/') };
}

function levelOf(part: string, rule: string): Level {
  if (part === '+') return 'any';
  if (part === '{topic}' || part === '{stream}' || part === '{parameter}')
    return part.slice(1, -1) as 'topic' | 'stream' | 'parameter';
  if (/[{}+#]/.test(part)) throw new Error(`may not have the level '${part}', as in '${rule}'`);
  return { text: part };
}

/** Returns what a rule says of a topic with these levels; undefined where it does not fit. */
export function placeOf(rule: TopicRule, levels: readonly string[]): MessagePlace | undefined {
  const { form, hasRest, begin } = rule;
  const more = levels.length - rule.levels.length;
  const isGreedy = !hasRest && rule.levels.includes('topic');
  if (more < 0 || (more > 0 && !hasRest && !isGreedy)) return undefined;
  let topic: string | undefined;
  let stream: string | undefined;
  let parameter: string | undefined;
  let at = 0;
  for (const level of rule.levels) {
    const part = levels[at++]!;
    if (level === 'topic') {
      topic = isGreedy && more > 0 ? levels.slice(at - 1, at + more).join('/') : part;
      if (isGreedy) at += more;
    } else if (level === 'stream') stream = part;
    else if (level === 'parameter') parameter = part;
    else if (level !== 'any' && level.text !== part) return undefined;
  }
  return { form, topic: topic ?? (begin || otherTopic), stream, parameter, rest: levels.slice(at) };
}
